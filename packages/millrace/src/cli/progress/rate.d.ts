export interface RateMeter {
  /** Notes the running total; called about as often as something is drawn. */
  sample(now: number, total: number): void;
  /** Over the window, or since the first sample when that is shorter; 0 until there is something to tell. */
  perSecond(): number;
}
export declare function createRateMeter(): RateMeter;

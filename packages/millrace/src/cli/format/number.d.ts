/** `6,046` */
export declare function count(value: number): string;
/** `1 item`, `2 items`; the plural is the singular with an `s` unless given. */
export declare function plural(value: number, one: string, many?: string): string;
/** Invocations per second, in the unit that reads best: `1,203/s`, `3.2/s`, `12/min`; empty when nothing moves. */
export declare function rate(perSecond: number): string;

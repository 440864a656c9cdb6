/** The values that nodes and branches compute, as data: `interpreter/expression.ts` says what each comes to. */
export type Expression =
  | null
  | boolean
  | number
  | string
  /** A field of the state that the task was given; dots go into it: `{ get: "plan.title" }`. Absent fields are null. */
  | { readonly get: string }
  /** An answer by the name that `ask` gave it, or `item` and `index` within `send … each`; dots go into it. */
  | { readonly use: string }
  | { readonly sum: readonly Expression[] }
  | { readonly product: readonly Expression[] }
  /** All of them as one text. */
  | { readonly text: readonly Expression[] }
  | { readonly list: readonly Expression[] }
  | { readonly record: Readonly<Record<string, Expression>> }
  /** Of a list or a text. */
  | { readonly length: Expression }
  /** The sum of a list of numbers, or of one field (`of`) of a list of records. */
  | { readonly total: Expression; readonly of?: string }
  | { readonly less: readonly [Expression, Expression] }
  | { readonly equal: readonly [Expression, Expression] }
  | { readonly not: Expression };

/**
 * What hostile mode leaves alone: it runs in one engine as ever. By the file of a test, the beginning of its title (absent: all of
 * them), and why.
 */
const engine =
  "what one engine shares between its runs (limits, rates, a cache) is not shared by those that come one after the other";
const records = "looks at records by their number, or counts them: a hand-over has records of its own";
const again = "a generator begins again at every hand-over, and this counts what it makes, or is long";
const elsewhere = "is itself about several engines on one store, or about who has a run";
const none = "is about runs without a backend, and here every run has one";
const live = "sends into a run or reads it live, and looks at the moment at which it does";
const told = "an observer or a trace is told again of what is replayed";

export const notHostile: readonly { readonly file: string; readonly title?: string; readonly why: string }[] = [
  { file: "back-pressure", title: "K5 a list of 20,000 elements opens its items as earlier", why: again },
  { file: "back-pressure", title: "K5 two consumers of different speed over 100,000 items:", why: again },
  { file: "back-pressure", title: "R29 H59 the heap is flat over many thousand items, with", why: again },
  { file: "back-pressure", title: "R29 a bounded edge makes the producer wait: it is never", why: again },
  { file: "back-pressure", title: "R29 an observer sees every item of a bounded stream exactly", why: again },
  { file: "leaving", title: "K5 a full stream outside of a block holds back the one", why: again },
  { file: "leaving-nested", title: "K5 a full stream outside holds back the inner one inside,", why: again },
  { file: "hazards", title: "K9 R13 questions of parallel items, answered in any order", why: elsewhere },
  { file: "journal-faults", title: "H15 when the n-th commit fails, nothing beyond the durable", why: elsewhere },
  { file: "journal-faults", title: "H16 when the n-th commit was applied but its answer is", why: elsewhere },
  { file: "refusals", title: "runs that are not there, have ended, or belong to a live", why: elsewhere },
  { file: "stopping", title: "H53 a thousand cancels against a thousand finishes: one", why: elsewhere },
  { file: "unsafe", title: "K10 the first answer counts, also from another engine, and", why: elsewhere },
  { file: "watch", title: "H11 P4.7 a run over which too many engines died is", why: elsewhere },
  { file: "watch", title: "H62 an answer for a question that a live engine holds open", why: elsewhere },
  { file: "watch", title: "P3.2 F14 an answer left by a process that does not have the", why: elsewhere },
  { file: "watch", title: "R26 H55 a run whose engine dies is taken over by one that", why: elsewhere },
  { file: "watch", title: "an answer is checked once by its schema, whoever gives it", why: elsewhere },
  { file: "watch", title: "an answer that does not match, left by who could not check", why: elsewhere },
  { file: "cache", title: "P0.1 H88 ops that one function made out of one text are", why: engine },
  { file: "limits", title: "R19 a rate holds also for what was granted and then waited", why: engine },
  { file: "limits", title: "R19 a rate is kept by all runs together: no second has more", why: engine },
  { file: "limits", title: "R19 rates per second and per minute hold together", why: engine },
  { file: "limits", title: "an attempt that is retried gives its resource back for the", why: engine },
  { file: "limits", title: "bodies that return at once and those that throw give the", why: engine },
  { file: "limits", title: "generators take no permit of run or engine, only their", why: engine },
  { file: "limits", title: "tokens that bodies report keep further ones waiting until a", why: engine },
  { file: "recovery", title: "H60 concurrency 1 with three levels of nesting finishes,", why: engine },
  { file: "call-timeout", title: "an item whose call waits behind others may still be", why: live },
  { file: "live-ports", title: "are told that the input ended, when the run did before they", why: live },
  { file: "live-ports", title: "arrive in the order they were sent, and all that were sent", why: live },
  { file: "streams", title: "a run that another process began is read from its first", why: live },
  { file: "cache", title: "hits are copies: who changes one changes no other", why: none },
  { file: "drain", title: "R09 drain without a backend: the run waits in this process", why: none },
  { file: "messages", title: "a part of a cached op's input that cannot be encoded is", why: none },
  { file: "no-journal", title: "P3.10 without a backend nothing is encoded, frozen or kept:", why: none },
  { file: "streams", title: "R16 several modes arrive in the order of their events, from", why: none },
  { file: "streams", title: "a reader that is slower than a run without a backend is", why: none },
  { file: "threads", title: "a thread needs a backend and a name that can be kept", why: none },
  { file: "forks", title: "another output of one item: that item's ops, and what", why: records },
  { file: "history", title: "tells every record with names, places and values", why: records },
  { file: "history", title: "P5.1 the state behind a record: status, outputs, cells,", why: records },
  { file: "history", title: "is refused by name, and makes no run", why: records },
  { file: "total-timeout", title: "H48 the total is a moment: a crash behind any record", why: records },
  { file: "unsafe", title: "R11 R17 H49 over a crash behind any record an unsafe body", why: records },
  { file: "unsafe", title: "each attempt has a start of its own, and one that failed is", why: records },
  { file: "hostile", title: "an observer that throws is detached and reported once; the", why: told },
  { file: "retry", title: "P1.1 R05 an op that fails twice with a transient error and", why: told },
  { file: "traces", title: "a trace has one record per invocation and per yield, with", why: told },
  { file: "traces", title: "values are cut with a mark, and a full trace counts what it", why: told },
  { file: "transient", why: again },
  { file: "leaving", title: "items leave an arm while its stream goes on", why: live },
  { file: "leaving-nested", title: "inner items leave while their stream and the one around go", why: live },
  { file: "leaving-nested-pairs", title: "K5 what a reduce keeps of a stream in an item is bounded by", why: again },
  { file: "interrupts", title: "R14 P0.4 the question is told before the stream waits", why: live },
  { file: "interrupts", title: "F15 whoever answers as they read of a question reads on,", why: live },
  { file: "field", title: "F13 an op with three attempts that fails twice returns its", why: told },
  { file: "on-resume", title: "R09 after a drain it goes on behind what it had yielded", why: elsewhere },
];

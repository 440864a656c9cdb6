/**
 * Where Millrace deliberately does otherwise than LangGraph.js. `ours/` says by these names where it shows in a vector;
 * `docs/state-graphs-differences.md` has the same words for readers.
 */
export interface Difference {
  readonly langgraph: string;
  readonly millrace: string;
  readonly reason: string;
  /** Why no vector shows it. */
  readonly unseen?: string;
}

export const differences: Readonly<Record<string, Difference>> = {
  "fold order": {
    langgraph: "Tasks of one superstep are folded in alphabetical order of their nodes' names, sent ones after them.",
    millrace: "They are folded in the order in which they were queued, sent ones after them.",
    reason: "Renaming a node must not change what a graph computes.",
  },
  "write conflicts": {
    langgraph:
      "Two updates of a field without a reducer in one superstep fail it, and the thread cannot be read any more.",
    millrace: "They fold in task order: the last one stands.",
    reason: "A conflict must not poison a thread. Who wants all updates gives the field a reducer.",
  },
  "unknown fields": {
    langgraph: "An update of a field that the state does not have is dropped.",
    millrace: "It fails the task and names the fields there are.",
    reason: "A misspelt field is lost work that nobody notices.",
  },
  goto: {
    langgraph: "A goto leads on besides the node's edges and branches.",
    millrace: "It takes their place.",
    reason: "Who says where to go means there, and not there as well.",
  },
  "what branches see": {
    langgraph: "A branch sees the state before the superstep with its own node's update in it.",
    millrace: "It sees the state after the superstep, as every node that follows does.",
    reason: "Decisions are made on what is, and two branches never disagree about it.",
  },
  "starved joins": {
    langgraph: "A turn ends quietly while a join waits for a node that a branch went past; the next turn may fill it.",
    millrace: "The turn fails as JoinStarved and names what is missing; a new input begins anew.",
    reason: "Work that was to be done and never will be is told.",
  },
  "deferred nodes": {
    langgraph:
      "A deferred node waits for what edges have queued, but runs beside tasks that were sent, and then once more.",
    millrace: "It runs when nothing else of the turn is left, however it was queued.",
    reason: "That is what it was deferred for.",
  },
  limit: {
    langgraph:
      "A turn that ends in the superstep of its limit fails; one that goes on without an input has one superstep more.",
    millrace: "A turn may take as many supersteps as the limit says, and fails when it would take another.",
    reason: "A number means what it says.",
  },
  "bounded concurrency": {
    langgraph: "With maxConcurrency: 1 the first of several sent tasks runs, and the others are forgotten.",
    millrace: "All of them run, one at a time.",
    reason: "A bound on how many run at once is no bound on how many run.",
  },
  "newest checkpoint": {
    langgraph: "The newest checkpoint leaves out of `next` a task that has had an answer, though it waits for another.",
    millrace: "It is pending until it has finished.",
    reason: "Who looks at a thread sees what it waits for.",
  },
  "answers stand": {
    langgraph: "A task that fails behind a question counts as waiting.",
    millrace: "It counts as failed; its answer stands when it is run again.",
    reason: "People are not asked twice.",
  },
  "null answers": {
    langgraph: "An answer of null is refused as no answer.",
    millrace: "It is an answer, if the question's schema takes it.",
    reason: "Any value can mean something.",
  },
  "who runs again": {
    langgraph: "With one answer every task that waits runs again from its top, as far as its question.",
    millrace: "Only the task that was answered runs again.",
    reason: "Bodies cost money, and may have effects.",
  },
  "which question": {
    langgraph: "One answer without a name, to two open questions, answers both.",
    millrace: "It is refused: AmbiguousInterrupt names the questions.",
    reason: "An approval of one thing is none of another.",
  },
  "questions beside failures": {
    langgraph: "A failure beside an open question ends the call as failed; going on runs both again.",
    millrace: "The question stays open and can be answered; the run fails when that is through.",
    reason: "Tasks do not depend on their neighbours.",
  },
  "going on without an answer": {
    langgraph: "Going on without an answer runs the asking task again, up to its question.",
    millrace: "The thread goes on waiting, and nothing is run.",
    reason: "Nothing has changed for the task.",
  },
  "busy threads": {
    langgraph: "A turn may begin while another one runs or waits; questions are dropped and updates may be lost.",
    millrace: "It is refused as ThreadBusy.",
    reason: "No update is lost, and no question goes unanswered by accident.",
  },
  "answers to nothing": {
    langgraph: "An answer to a thread that asked nothing does nothing, or begins a turn.",
    millrace: "It is refused.",
    reason: "Whoever answers is told that it did not count.",
  },
  "two answers": {
    langgraph: "Two answers to one question at once both count.",
    millrace: "The first counts, the other is told who was faster.",
    reason: "A question has one answer.",
  },
  "nothing to run": {
    langgraph: "Going on where nothing is left does nothing.",
    millrace: "It is refused as NothingToRun.",
    reason: "Whoever expected something to happen is told that nothing will.",
  },
  "siblings of a failure": {
    langgraph: "When a task fails, its neighbours are aborted or forgotten.",
    millrace: "They finish, are recorded, and do not run again when the thread goes on.",
    reason: "Finished work is not lost.",
  },
  "updates without a node": {
    langgraph: "An update that names no node is refused when several ran last.",
    millrace: "It is made in the name of all of them: what follows them runs next.",
    reason: "They were what led to this checkpoint.",
  },
  "error codes": {
    langgraph: "Most mistakes of a caller are one kind of error and differ by their text.",
    millrace: "Each has a code of its own and names thread or node.",
    reason: "Programs can tell them apart.",
  },
  "state and what is pending": {
    langgraph: "The state of a thread that waits or failed has what finished tasks of the open superstep wrote.",
    millrace: "It is the state of the last boundary; what has finished since stands beside it, in `pending`.",
    reason: "Updates are folded in task order when the superstep is over; before, there is no state that has them.",
    unseen: "the comparison folds what is pending into the state before it compares",
  },
  "generators as bodies": {
    langgraph: "A body that is a generator does nothing: what it gives is taken for an update without fields.",
    millrace: "What it yields are events of its own; what it returns are its steps.",
    reason: "A generator is how JavaScript says that there is more to come.",
    unseen: "definitions have no generators",
  },
  "streamed values": {
    langgraph:
      "A superstep that changed nothing streams no values; a task whose result was recorded earlier starts again.",
    millrace: "Every superstep streams its values; a task that does not run does not start.",
    reason: "Who counts supersteps by their values counts right.",
    unseen: "the comparison takes values from where a vector has the state, and leaves recorded tasks out",
  },
  "starts before a failure": {
    langgraph: "A superstep that fails at once may be missing in the stream: its tasks were not told to start.",
    millrace: "Tasks are told to start before they can fail.",
    reason: "Who watches sees what failed.",
  },
  "events of failed attempts": {
    langgraph: "What a body told before it failed is part of the stream for good.",
    millrace: "It is void when the attempt has failed: live readers are told so, and later ones are not told of it.",
    reason: "Of what several attempts told, what counts is what the last one did.",
  },
  "subgraphs go on": {
    langgraph: "A node that is a state graph starts again when something in it was answered, or goes on.",
    millrace: "It goes on where it stood, and only what was answered starts again.",
    reason: "Nothing else of it runs.",
  },
};

import { hash32 } from "./hash.ts";
import type { Mail } from "./mime.ts";

/** Features are hashed into this many buckets: small enough to fold quickly, large enough that few words collide. */
export const FEATURE_BUCKETS = 1 << 16;

/** A message keeps its header features and its first words, up to this many different buckets. */
export const MAX_FEATURES = 160;

/** Only this much of a body is read for words; spam gives itself away long before. */
const MAX_BODY_CHARACTERS = 20_000;

/** Likewise for a subject: no header may be long enough to make the patterns below slow. */
const MAX_SUBJECT_CHARACTERS = 300;

const WORD = /[\p{L}$][\p{L}\p{N}$'-]{1,24}/gu;
const LINK_HOST = /https?:\/\/([a-z0-9.-]{1,100})/gi;

/**
 * What the classifier sees of one message: sorted bucket numbers without duplicates. Header features come first, so
 * that a long body cannot push them out.
 */
export function featuresOf(mail: Mail): number[] {
  const buckets = new Set<number>();
  for (const name of featureNames(mail)) {
    buckets.add(hash32(name) % FEATURE_BUCKETS);
    if (buckets.size === MAX_FEATURES) break;
  }
  return [...buckets].sort((a, b) => a - b);
}

function* featureNames(mail: Mail): Generator<string> {
  yield* headerFeatures(mail);
  for (const word of words(mail.subject.slice(0, MAX_SUBJECT_CHARACTERS))) yield `subject:${word}`;
  for (const host of hosts(mail)) yield `link:${host}`;
  yield* words(mail.body.slice(0, MAX_BODY_CHARACTERS));
}

function* headerFeatures(mail: Mail): Generator<string> {
  const { from, html, inReplyTo, references, mailer, attachments, body } = mail;
  const subject = mail.subject.slice(0, MAX_SUBJECT_CHARACTERS);
  yield `from:${from.address.slice(from.address.lastIndexOf("@") + 1)}`;
  yield `mailer:${mailer.split(/[ /(]/, 1)[0]?.toLowerCase()}`;
  yield `html:${html !== ""}`;
  yield `reply:${inReplyTo !== null || references.length > 0}`;
  yield `attachments:${Math.min(attachments, 3)}`;
  yield `length:${Math.round(Math.log2(body.length + 1))}`;
  yield `from-name:${from.name === "" ? "none" : "some"}`;
  if (/^[^a-z]*[A-Z][^a-z]*$/.test(subject)) yield "subject-capitals";
  if (subject.includes("!")) yield "subject-exclaims";
  if (/\s{3,}\S+$/.test(subject)) yield "subject-tail";
}

/** Lazy: most messages reach the limit of features long before their end. */
function* words(text: string): Generator<string> {
  for (const match of text.matchAll(WORD)) yield match[0].toLowerCase();
}

function hosts({ html, body }: Mail): Set<string> {
  const text = (html === "" ? body : html).slice(0, MAX_BODY_CHARACTERS);
  return new Set(Array.from(text.matchAll(LINK_HOST), (match) => (match[1] ?? "").toLowerCase()));
}

/** Base64 of little-endian 16-bit numbers: 160 features take 427 characters in the journal. */
export function packFeatures(features: readonly number[]): string {
  const bytes = Buffer.alloc(features.length * 2);
  features.forEach((feature, index) => bytes.writeUInt16LE(feature, index * 2));
  return bytes.toString("base64");
}

export function unpackFeatures(packed: string): number[] {
  const bytes = Buffer.from(packed, "base64");
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readUInt16LE(index * 2));
}

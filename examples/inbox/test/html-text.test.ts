import { describe, expect, it } from "vitest";
import { htmlToText } from "../src/html-text.ts";

const words = (html: string) => htmlToText(html).split(/\s+/).filter(Boolean).join(" ");

describe("text of HTML", () => {
  it("has no tags, comments, scripts or styles", () => {
    expect(words("<p>a<!-- <b>x</b> --><style>y{}</style><SCRIPT>if (1<2) z</SCRIPT >b</p>c")).toBe("a b c");
  });

  it("has its entities decoded, once", () => {
    expect(words("&lt;b&gt; &amp;lt; caf&eacute; &#169; &Uuml; &unknown; &#0;|")).toBe("<b> &lt; café © Ü &unknown; |");
  });

  it("ends where markup never ends", () => {
    expect(words("a<b")).toBe("a");
    expect(words("a<!-- b")).toBe("a");
    expect(words("a<script>b")).toBe("a");
  });

  it("is linear in its input, whatever is in it", () => {
    const started = performance.now();
    for (const piece of ["<", "<!--", "<script>", "&", "&#1", "<a "]) htmlToText(piece.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

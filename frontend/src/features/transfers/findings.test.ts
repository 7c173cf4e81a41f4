import { expect, test } from "vitest";
import type { FindingShown } from "@/api/findings";
import { commonRisk, groupFindings, NAME_ADDRESS, riskOf } from "./findings";

const finding = (id: string, travels_plain: boolean, address = "page/1"): FindingShown => ({
  ...{ id, kind: "phrase", group: id, says: "“Reed” is marked elsewhere", address, start: 0, end: 4 },
  ...{ excerpt: "Reed", travels_plain },
});

test("the worst risk of several findings counts, and the name travels plain in any case", () => {
  expect(riskOf([finding("a", false), finding("b", true)], false)).toBe("plain");
  expect(riskOf([finding("a", false)], false)).toBe("edition");
  expect(riskOf([finding("a", true)], true)).toBe("edition");
  expect(riskOf([finding("a", true, NAME_ADDRESS)], true)).toBe("plain");
});

test("groups have a common risk only if it is the same for each", () => {
  const common = (...findings: FindingShown[]) => commonRisk(groupFindings(findings), false);
  expect(common(finding("a", true), finding("b", true))).toBe("plain");
  expect(common(finding("a", true), finding("b", false))).toBeNull();
  expect(common()).toBeNull();
});

import { expect, test } from "vitest";
import { byLastUse, destinationsOf, detailOf, type Recipient, sameNameWarnings, tellsApart } from "./recipients";

const person = (peer: string, name: string, display_name: string, unit: string | null = null): Recipient => ({
  ...{ peer, isOwn: peer === "alpha", name, display_name, unit, cleared: true },
});
const BERG = person("bravo", "a.berg", "Anna Berg", "Harbour office");
const OTHER_BERG = person("charlie", "anna", "anna berg ", "Archive");
const BRUNO = person("bravo", "bruno", "Bruno");
const CARLA = person("charlie", "carla", "Carla");

test("people used last come first, then those at the gateways used last, then by name", () => {
  const recent = [
    { peer: "charlie", name: "carla" },
    { peer: "charlie", name: "gone" },
  ];
  expect(byLastUse([BRUNO, BERG, OTHER_BERG, CARLA], recent)).toEqual([CARLA, OTHER_BERG, BERG, BRUNO]);
  expect(byLastUse([CARLA, BRUNO, BERG], [])).toEqual([BERG, BRUNO, CARLA]);
  const zoe = person("alpha", "zoe", "Zoe");
  expect(byLastUse([CARLA, BRUNO, zoe], recent)).toEqual([CARLA, zoe, BRUNO]);
});

test("the second line has what is known", () => {
  expect(detailOf(BERG)).toBe("a.berg · Harbour office · bravo");
  expect(detailOf(CARLA)).toBe("carla · charlie");
  expect(detailOf(person("alpha", "zoe", "Zoe"))).toBe("zoe · This gateway");
});

test("warns of each name that several people have, whatever its case", () => {
  const all = [BERG, OTHER_BERG, BRUNO, CARLA];
  expect(sameNameWarnings([BRUNO, CARLA], all)).toEqual([]);
  expect(sameNameWarnings([BERG, CARLA], all)).toEqual([
    "Two people are named Anna Berg. Check that you choose the right one.",
  ]);
  expect(sameNameWarnings([BERG], [...all, person("bravo", "anna2", "Anna Berg")])).toEqual([
    "3 people are named Anna Berg. Check that you choose the right one.",
  ]);
});

test("people of one name are shown with their unit, login or gateway, the first of these that differs", () => {
  expect(tellsApart(BERG, [BERG, OTHER_BERG])).toBe("Harbour office");
  expect(tellsApart(BRUNO, [BRUNO, BERG])).toBeNull();
  const own = person("alpha", "archive", "Archive");
  const theirs = person("bravo", "archive", "Archive");
  expect([own, theirs].map((one) => tellsApart(one, [own, theirs]))).toEqual(["This gateway", "bravo"]);
  const second = person("bravo", "archive2", "Archive");
  expect([theirs, second].map((one) => tellsApart(one, [theirs, second]))).toEqual(["archive", "archive2"]);
  const [a, b] = [person("bravo", "a", "Anna", "Desk"), person("bravo", "b", "Anna", "Desk")];
  expect([a, b].map((one) => tellsApart(one, [a, b]))).toEqual(["a", "b"]);
});

test("the chosen people are grouped by gateway", () => {
  expect(destinationsOf([CARLA, BRUNO, OTHER_BERG])).toEqual([
    { peer: "charlie", recipients: ["carla", "anna"] },
    { peer: "bravo", recipients: ["bruno"] },
  ]);
});

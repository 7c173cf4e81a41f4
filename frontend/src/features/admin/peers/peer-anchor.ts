/** The id of a peer's card on the page of peers. */
export const peerAnchor = (name: string) => `peer-${name}`;

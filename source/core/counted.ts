/** `4,812`. */
export const grouped = (count: number): string =>
	String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 event`, `2 events`, `4,812 events`; a plural that is not made with an `s` is given. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
	`${grouped(count)} ${count === 1 ? one : many}`;

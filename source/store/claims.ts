import {integerOf, nullableInteger, type Row} from './columns.ts';
import type {DeliveryKey} from './port.ts';

/** Who holds an identifier: rows, and milliseconds since 1970 on the clock of `now`. `work` is the run of the delivery or, below zero, its group. */
export type Claim = {
	readonly delivery: number;
	readonly work: number | null;
	readonly at: number;
	/** Its number in `fresh_claim`; 0 when it stands elsewhere. */
	readonly row: number;
};

/** How far the rows of claims are done with: numbers in `fresh_claim`, and of runs. */
export type Floors = {fresh: number; run: number};

/** Brings `floors` up to where `claim` stands. */
export function raise(floors: Floors, {row, work}: Claim): void {
	if (row > 0) {
		floors.fresh = Math.max(floors.fresh, row);
	} else {
		floors.run = Math.max(floors.run, work ?? 0);
	}
}

/** Identifiers of a delivery: its own, and its body where that is one. No route has a space in its name. */
export const identifiersOf = ({
	profile,
	route,
	deliveryId,
	bodyHash,
}: DeliveryKey & {readonly bodyHash?: string | undefined}): readonly DeliveryKey[] => [
	{profile, route, deliveryId},
	...(bodyHash === undefined ? [] : [{profile, route: `${route} body`, deliveryId: bodyHash}]),
];

/** Names of profiles and routes hold no NUL, so no two keys have one name. */
export const nameOf = ({profile, route, deliveryId}: DeliveryKey): string =>
	`${profile}\0${route}\0${deliveryId}`;

/** The same in SQL, as the column `name`, with the identifier in column `id`: thousands are read when the store opens. */
export const nameColumn = (id: string): string =>
	`profile || char(0) || route || char(0) || ${id} as name`;

/** Profile, route and identifier of a name. */
export function partsOf(name: string): [profile: string, route: string, deliveryId: string] {
	const [profile = '', route = '', ...rest] = name.split('\0');
	return [profile, route, rest.join('\0')];
}

/** Who holds it, by a row of claims. */
export const claimOf = (row: Row): Claim => ({
	delivery: integerOf(row['delivery']),
	work: nullableInteger(row['run']),
	at: integerOf(row['at']),
	row: row['id'] === undefined ? 0 : integerOf(row['id']),
});

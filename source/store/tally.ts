/** Whose events something is made of. */
export type Place = {readonly profile: string; readonly route: string};

/** How many there are of each place. */
export type Tally = {
	add(place: Place, by: 1 | -1): void;
	of(place: Place): number;
};

export function createTally(): Tally {
	const counts = new Map<string, number>();
	return {
		add(place, by) {
			const name = nameOfPlace(place);
			const count = (counts.get(name) ?? 0) + by;
			if (count === 0) {
				counts.delete(name);
			} else {
				counts.set(name, count);
			}
		},
		of: place => counts.get(nameOfPlace(place)) ?? 0,
	};
}

/** Names of profiles and routes hold no NUL, so no two places have one name. */
export const nameOfPlace = ({profile, route}: Place): string => `${profile}\0${route}`;

import {type Row, textOf} from './columns.ts';
import type {RouteKey} from './port.ts';

/** How many there are of each route. */
export type CountsByRoute = {
	add(route: RouteKey, by: number): void;
	of(route: RouteKey): number;
};

export function createCountsByRoute(): CountsByRoute {
	const counts = new Map<string, number>();
	return {
		add(route, by) {
			const name = nameOfRoute(route);
			const count = (counts.get(name) ?? 0) + by;
			if (count === 0) {
				counts.delete(name);
			} else {
				counts.set(name, count);
			}
		},
		of: route => counts.get(nameOfRoute(route)) ?? 0,
	};
}

/** Of a row of runs with `profile` and `route`. */
export const routeOf = (row: Row): RouteKey => ({
	profile: textOf(row['profile']),
	route: textOf(row['route']),
});

/** Names of profiles and routes hold no NUL, so no two routes have one name. */
export const nameOfRoute = ({profile, route}: RouteKey): string => `${profile}\0${route}`;

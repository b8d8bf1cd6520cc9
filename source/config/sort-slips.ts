import type {Problem} from '../core/config-view.ts';
import {formatProblem} from './format-problem.ts';
import type {Finding} from './place-problem.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {readRoute, type ReadRoute} from './read-route.ts';
import {routesPlace} from './routes-place.ts';
import {slipKey, type Slips} from './slips.ts';

/** Slips by what they take down. */
export type SortedSlips = {
	/** Static routes by name, as far as they can be read. */
	readonly routes: ReadonlyMap<string, ReadRoute>;
	/** What is wrong with everything else. */
	readonly findings: readonly Finding[];
	/** Everything else by `slipKey`, with its first finding. */
	readonly items: ReadonlyMap<string, {readonly path: KeyPath; readonly finding: Finding}>;
};

/**
 * Tells the slips of `config.yaml` apart. `written` is what the parser returned, `value` the plain data in it with its references resolved. Routes that count for nothing, because others
 * stand under `extra`, take nothing down.
 */
export function sortSlips(slips: Slips, written: unknown, value: unknown): SortedSlips {
	const place = routesPlace(value);
	const all = [...slips.values()];
	const isRoute = ({item}: {readonly item: KeyPath}) =>
		slipKey(item.slice(0, -1)) === slipKey(place);
	const others = all.filter(slip => !isRoute(slip));
	return {
		routes: new Map(
			all.filter(isRoute).map(({item, findings}) => [
				String(item.at(-1)),
				readRoute(
					valueAt(value, item) ?? valueAt(written, item),
					findings.map(finding => ({...finding, path: finding.path.slice(item.length)})),
				),
			]),
		),
		findings: others.flatMap(({findings}) => findings),
		items: new Map(
			others.flatMap(({item, findings: [finding]}) =>
				finding ? [[slipKey(item), {path: item, finding}] as const] : [],
			),
		),
	};
}

/** What cannot be used, and why: one line. */
export type SlipReason = {readonly path: KeyPath; readonly reason: string};

/** One for each item, by `slipKey`: what is wrong first, with its place. */
export const reasonsOf = (
	{items}: SortedSlips,
	place: (finding: Finding) => Problem,
): ReadonlyArray<readonly [string, SlipReason]> =>
	[...items].map(([key, {path, finding}]) => [key, {path, reason: formatProblem(place(finding))}]);

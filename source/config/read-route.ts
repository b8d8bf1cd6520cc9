import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {membersOf} from './plain-data.ts';
import {routeSchema, type RawRoute} from './route-schema.ts';
import {describeIssues} from './schema-issues.ts';

/** An entry as far as it can be read. */
export type ReadRoute = {
	/** The keys that are sound by themselves. */
	readonly raw: RawRoute;
	/** What is wrong with the others; paths begin at the entry. One with an empty path is about the entry itself. */
	readonly findings: readonly UnplacedDiagnostic[];
};

/** Reads the entry of a route, key by key where one of them is wrong. `known` is what is known to be wrong; the rest of `entry` is plain data. Unknown keys are ignored. */
export function readRoute(entry: unknown, known: readonly UnplacedDiagnostic[] = []): ReadRoute {
	const rest = withoutKeys(entry, known);
	const parsed = routeSchema.safeParse(rest);
	if (parsed.success) {
		return {raw: parsed.data, findings: known};
	}

	const found = describeIssues(parsed.error.issues, rest);
	return {raw: routeSchema.parse(withoutKeys(rest, found)), findings: [...known, ...found]};
}

/** An entry that is wrong itself has no keys. */
function withoutKeys(entry: unknown, findings: readonly UnplacedDiagnostic[]): unknown {
	const invalid = new Set(findings.map(({path: [key]}) => key));
	if (invalid.size === 0) {
		return entry;
	}

	return invalid.has(undefined)
		? {}
		: Object.fromEntries(membersOf(entry).filter(([key]) => !invalid.has(key)));
}

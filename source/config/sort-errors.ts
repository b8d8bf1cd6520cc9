import type {Diagnostic} from '../core/config-view.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {itemKey, type ItemErrors} from './item-errors.ts';
import {seenFrom, type UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {routesPlace} from './profiles.ts';
import {readRoute, type ReadRoute} from './resolve-route.ts';

export const receiverPath: KeyPath = ['platforms', 'webhook'];

/** Errors by what they take down. */
export type SortedErrors = {
	/** Static routes by name, as far as they can be read. */
	readonly routes: ReadonlyMap<string, ReadRoute>;
	/** Settings of the receiver that cannot be read, `routes` as a whole and `extra` among them; an empty text means all. */
	readonly receiver: ReadonlySet<string>;
	/** All findings except those of routes. */
	readonly findings: readonly UnplacedDiagnostic[];
	/** What they take down, by `itemKey`, each with its first finding. */
	readonly items: ReadonlyMap<
		string,
		{readonly path: KeyPath; readonly finding: UnplacedDiagnostic}
	>;
};

/**
 * Tells the errors of `config.yaml` apart. `written` is what the parser returned, `value` the plain data in it with its references resolved. Routes that count for nothing, because others
 * stand under `extra`, take nothing down.
 */
export function sortErrors(itemErrors: ItemErrors, written: unknown, value: unknown): SortedErrors {
	const place = routesPlace(value);
	const all = [...itemErrors.values()];
	const isRoute = ({item}: {readonly item: KeyPath}) =>
		itemKey(item.slice(0, -1)) === itemKey(place);
	const others = all.filter(itemError => !isRoute(itemError));
	const items = new Map<string, {readonly path: KeyPath; readonly finding: UnplacedDiagnostic}>();
	for (const {
		item,
		findings: [finding],
	} of others) {
		const path = receiverSettingAt(item) === undefined ? item : receiverPath;
		if (finding && !items.has(itemKey(path))) {
			items.set(itemKey(path), {path, finding});
		}
	}

	return {
		routes: new Map(
			all.filter(isRoute).map(({item, findings}) => [
				String(item.at(-1)),
				readRoute(
					valueAt(value, item) ?? valueAt(written, item),
					findings.map(finding => seenFrom(item, finding)),
				),
			]),
		),
		findings: others.flatMap(({findings}) => findings),
		receiver: new Set(others.flatMap(({item}) => receiverSettingAt(item) ?? [])),
		items,
	};
}

/** The receiver setting at `item`, under `extra` or not; `undefined` for routes and for other items. Empty: the whole section. */
function receiverSettingAt(item: KeyPath): string | undefined {
	if (itemKey(item) === itemKey(receiverPath)) {
		return '';
	}

	const [key, ...inside] = isBelow(item, receiverPath) ? item.slice(receiverPath.length) : [];
	const [name = key, ...deeper] = key === 'extra' ? inside : [key, ...inside];
	return name === undefined || deeper.length > 0 ? undefined : String(name);
}

const isBelow = (path: KeyPath, parent: KeyPath): boolean =>
	path.length > parent.length && parent.every((step, index) => step === path[index]);

/** What cannot be used, and why: one line. */
export type ErrorReason = {readonly path: KeyPath; readonly reason: string};

/** The first finding of each item, with its place. */
export const reasonsOf = (
	{items}: SortedErrors,
	place: (finding: UnplacedDiagnostic) => Diagnostic,
): readonly ErrorReason[] =>
	[...items.values()].map(({path, finding}) => ({
		path,
		reason: formatDiagnostic(place(finding)),
	}));

/** Whether a setting of the receiver is written under `extra` or beside it, whichever of them `path` is in. */
export function standsElsewhere(value: unknown, path: KeyPath): boolean {
	const key = receiverSettingAt(path);
	return (
		key !== undefined &&
		[[], ['extra']].some(
			between => valueAt(value, [...receiverPath, ...between, key]) !== undefined,
		)
	);
}

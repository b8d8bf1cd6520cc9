import type {Diagnostic} from '../core/config-view.ts';
import {formatDiagnostic} from './format-diagnostic.ts';
import {itemKey, type ItemErrors} from './item-errors.ts';
import {seenFrom, type UnplacedDiagnostic} from './place-diagnostic.ts';
import {valueAt, type KeyPath} from './plain-data.ts';
import {routesPlace} from './profiles.ts';
import {readRoute, type ReadRoute} from './resolve-route.ts';

export const receiverPath: KeyPath = ['platforms', 'webhook'];

/** Errors by the parts of the configuration that they disable. */
export type SortedErrors = {
	/** Invalid static routes by name, with their readable keys. */
	readonly routes: ReadonlyMap<string, ReadRoute>;
	/** Unreadable settings of the receiver, also `routes` or `extra` as a whole; an empty text means the whole section. */
	readonly receiver: ReadonlySet<string>;
	/** All findings except those of routes. */
	readonly findings: readonly UnplacedDiagnostic[];
	/** The disabled items by `itemKey`, each with its first finding. */
	readonly items: ReadonlyMap<
		string,
		{readonly path: KeyPath; readonly finding: UnplacedDiagnostic}
	>;
};

/**
 * Sorts the errors of `config.yaml`. `written` is the output of the parser, `value` its plain data with references resolved. Errors of routes that are not used, because
 * others are under `extra`, disable nothing.
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

/** The receiver setting at `item`, under `extra` or not; `undefined` for routes and other items; empty for the whole section. */
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

/** An item that cannot be used, and the reason in one line. */
export type ErrorReason = {readonly path: KeyPath; readonly reason: string};

/** The first finding of each item, with its position. */
export const reasonsOf = (
	{items}: SortedErrors,
	place: (finding: UnplacedDiagnostic) => Diagnostic,
): readonly ErrorReason[] =>
	[...items.values()].map(({path, finding}) => ({
		path,
		reason: formatDiagnostic(place(finding)),
	}));

/** Whether the receiver setting at `path` is written in either of its two places: under `extra`, or beside it. */
export function standsElsewhere(value: unknown, path: KeyPath): boolean {
	const key = receiverSettingAt(path);
	return (
		key !== undefined &&
		[[], ['extra']].some(
			between => valueAt(value, [...receiverPath, ...between, key]) !== undefined,
		)
	);
}

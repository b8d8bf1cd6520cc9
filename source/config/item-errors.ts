import {isJsonObject, type JsonObject, type JsonValue} from '../core/json.ts';
import type {UnplacedDiagnostic} from './place-diagnostic.ts';
import {problemsWithData, type KeyPath} from './plain-data.ts';
import {valueKind} from './schema-issues.ts';

const anyName = '*';

/**
 * Paths of the items that an error disables, the narrowest first: a route, a setting of the receiver, a platform, a tool server, a toolset, an approval rule, an alert, a
 * model of the chat API, a section.
 */
const items: readonly KeyPath[] = [
	['platforms', 'webhook', 'routes', anyName],
	['platforms', 'webhook', 'extra', 'routes', anyName],
	['platforms', 'webhook', 'extra', anyName],
	['platforms', 'webhook', anyName],
	['platforms', anyName],
	['mcp_servers', anyName],
	['toolsets', anyName],
	['approvals', 'allow', anyName],
	['approvals', 'chats', anyName],
	['alerts', anyName],
	['api', 'models', anyName],
	[anyName],
];

const maxItemDepth = Math.max(...items.map(({length}) => length));

/** The item of `config.yaml` at or around `path`; empty for the file itself. @see manual/routes.md#keys */
export function itemAt(path: KeyPath): KeyPath {
	const item = items.find(
		pattern =>
			path.length >= pattern.length &&
			pattern.every((step, index) => step === anyName || step === path[index]),
	);
	return path.slice(0, item?.length ?? 0);
}

type ItemError = {readonly item: KeyPath; readonly findings: UnplacedDiagnostic[]};

/** Items that cannot be used, each with all its findings. No item is the empty path. */
export type ItemErrors = ReadonlyMap<string, ItemError>;

/** A path as a unique text. */
export const itemKey = (item: KeyPath): string => JSON.stringify(item);

/** The usable part of a configuration, or why none of it can be used. */
export type SoundPart<Parsed> =
	| {readonly ok: true; readonly parsed: Parsed; readonly itemErrors: ItemErrors}
	| {readonly ok: false; readonly findings: readonly UnplacedDiagnostic[]};

/**
 * Reads `value` (plain data) with `parse`, leaving out the items with findings, both `known` ones and those of `parse`. After findings, `parse` is called again for the
 * rest.
 */
export function readSoundPart<Parsed>(
	value: JsonValue,
	known: readonly UnplacedDiagnostic[],
	parse: (
		value: JsonValue,
	) =>
		| {readonly ok: true; readonly parsed: Parsed}
		| {readonly ok: false; readonly findings: readonly UnplacedDiagnostic[]},
): SoundPart<Parsed> {
	const itemErrors = new Map<string, ItemError>();
	addTo(itemErrors, known);
	for (;;) {
		const result = parse(withoutItems(value, itemErrors));
		if (result.ok) {
			return {...result, itemErrors};
		}

		const before = itemErrors.size;
		addTo(itemErrors, result.findings);
		// All findings concern the file itself: there is no item to leave out.
		if (itemErrors.size === before) {
			return result;
		}
	}
}

function addTo(itemErrors: Map<string, ItemError>, findings: readonly UnplacedDiagnostic[]): void {
	for (const finding of findings) {
		const item = itemAt(finding.path);
		const known = itemErrors.get(itemKey(item));
		if (known) {
			known.findings.push(finding);
		} else if (item.length > 0) {
			itemErrors.set(itemKey(item), {item, findings: [finding]});
		}
	}
}

/** A copy of `value` without these items; in a list null replaces an item, so that the others keep their indexes. */
function withoutItems(
	value: JsonValue,
	itemErrors: ReadonlyMap<string, unknown>,
	path: KeyPath = [],
): JsonValue {
	if (itemErrors.size === 0 || path.length >= maxItemDepth) {
		return value;
	}

	const without = (member: JsonValue, key: string | number): JsonValue | undefined =>
		itemErrors.has(itemKey([...path, key]))
			? undefined
			: withoutItems(member, itemErrors, [...path, key]);
	if (Array.isArray(value)) {
		return value.map((member: JsonValue, index) => without(member, index) ?? null);
	}

	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).flatMap(([key, member]) => {
					const kept = without(member, key);
					return kept === undefined ? [] : [[key, kept] as const];
				}),
			)
		: value;
}

/** A configuration without the items that are not plain data, and their findings. */
export type SoundData = {
	readonly data: JsonObject;
	readonly findings: readonly UnplacedDiagnostic[];
};

/** The plain data in `value` (the output of a parser), or why it is no mapping. Null counts as an empty mapping. */
export function soundDataOf(
	value: unknown,
): ({readonly ok: true} & SoundData) | ({readonly ok: false} & UnplacedDiagnostic) {
	const findings = problemsWithData(value);
	const itemErrors = new Map<string, ItemError>();
	addTo(itemErrors, findings);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsers make lists, objects and primitives; the rest is left out
	const data = withoutItems((value ?? {}) as JsonValue, itemErrors);
	if (isJsonObject(data)) {
		return {ok: true, data, findings};
	}

	const [first] = findings;
	return {
		ok: false,
		...(first ?? {path: [], message: `must be a mapping, not ${valueKind(data)}`}),
	};
}

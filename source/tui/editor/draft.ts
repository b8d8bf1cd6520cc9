import {withValueAt} from '../../core/json-path.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {countOf} from '../../core/names.ts';
import type {RouteDraft} from '../../core/route-editor.ts';

/** What a person has made of a route so far. */
export type Draft = {
	readonly name: string;
	/** The name in the file; empty for a new one. */
	readonly from: string;
	readonly isNew: boolean;
	readonly source: RouteDraft['source'];
	/** Of what was read; `none` for a new one. */
	readonly fingerprint: string;
	/** The route whose deliveries it is tried with. */
	readonly traffic: string;
	/** As it was read. */
	readonly base: JsonObject;
	readonly definition: JsonObject;
	/** What it was before, the newest last. */
	readonly past: ReadonlyArray<Pick<Draft, 'name' | 'definition'>>;
};

const maxPast = 20;

/** What the gateway is given. */
export const wireDraft = (draft: Draft): RouteDraft => {
	const {source, fingerprint, definition, from} = draft;
	return {source, fingerprint, definition, ...(isRenamed(draft) && {from})};
};

/** Whether a route that is there is to get another name. */
export const isRenamed = ({isNew, name, from}: Draft): boolean => !isNew && name !== from;

const same = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** The draft with another definition, or another name; what it was can be had back. */
export function changeDraft(
	draft: Draft,
	{name = draft.name, definition = draft.definition}: Partial<Pick<Draft, 'name' | 'definition'>>,
): Draft {
	return name === draft.name && same(definition, draft.definition)
		? draft
		: {
				...draft,
				name,
				definition,
				past: [...draft.past, {name: draft.name, definition: draft.definition}].slice(-maxPast),
			};
}

/** Undoes one of at most 20 changes; without any it returns the same draft. */
export function undo(draft: Draft): Draft {
	const before = draft.past.at(-1);
	return before ? {...draft, ...before, past: draft.past.slice(0, -1)} : draft;
}

/** Whether it holds something that is not in the file. */
export const isDirty = ({definition, base, name, from}: Draft): boolean =>
	!same(definition, base) || name !== from;

const changedKeys = ({base, definition}: Draft): readonly string[] =>
	Object.keys({...base, ...definition}).filter(key => !same(base[key], definition[key]));

/** How many of its keys are not as they were read; another name counts, too. */
export const countChanges = (draft: Draft): number =>
	changedKeys(draft).length + (isRenamed(draft) ? 1 : 0);

/** That changes are not saved; `undefined`: all are. */
export function unsavedText(draft: Draft): string | undefined {
	const count = countChanges(draft);
	return isDirty(draft)
		? `${draft.name || 'The new route'} has ${countOf(count, 'change')} that ${count === 1 ? 'is' : 'are'} not saved.`
		: undefined;
}

/** The draft rebased on the route as another writer left it: keys changed here keep their value, all others take that of the file. */
export function onTopOf(
	draft: Draft,
	theirs: {readonly definition: JsonObject; readonly fingerprint: string},
): Draft {
	const definition = changedKeys(draft).reduce(
		(whole, key) => withValueAt(whole, [key], draft.definition[key]),
		theirs.definition,
	);
	return {
		...changeDraft(draft, {definition}),
		base: theirs.definition,
		fingerprint: theirs.fingerprint,
	};
}

/** The same after the person's own edit of the file, which no undo takes back: it stands in the file. */
export const afterOwnEdit = (draft: Draft, written: Parameters<typeof onTopOf>[1]): Draft => ({
	...onTopOf(draft, written),
	past: draft.past.map(({name, definition}) => ({
		name,
		definition: onTopOf({...draft, definition}, written).definition,
	})),
});

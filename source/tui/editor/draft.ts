import {withValueAt} from '../../core/json-path.ts';
import type {JsonObject, JsonValue} from '../../core/json.ts';
import {countOf} from '../../core/names.ts';
import type {RouteDraft} from '../../core/route-editor.ts';

/** A route as edited so far. */
export type Draft = {
	readonly name: string;
	/** The route's name in the file; empty for a new one. */
	readonly from: string;
	readonly isNew: boolean;
	readonly source: RouteDraft['source'];
	/** The fingerprint of the route as read; `none` for a new one. */
	readonly fingerprint: string;
	/** The route whose deliveries the draft is tested with. */
	readonly traffic: string;
	/** The definition as read. */
	readonly base: JsonObject;
	readonly definition: JsonObject;
	/** Earlier versions for undo, the newest last. */
	readonly past: ReadonlyArray<Pick<Draft, 'name' | 'definition'>>;
};

const maxPast = 20;

/** The draft in the form that the gateway takes. */
export const wireDraft = (draft: Draft): RouteDraft => {
	const {source, fingerprint, definition, from} = draft;
	return {source, fingerprint, definition, ...(isRenamed(draft) && {from})};
};

/** Whether an existing route gets another name. */
export const isRenamed = ({isNew, name, from}: Draft): boolean => !isNew && name !== from;

const same = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
	JSON.stringify(one) === JSON.stringify(other);

/** The draft with a changed definition or name; undo restores it. */
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

/** Undoes one of the last 20 changes; without any, returns the same draft. */
export function undo(draft: Draft): Draft {
	const before = draft.past.at(-1);
	return before ? {...draft, ...before, past: draft.past.slice(0, -1)} : draft;
}

/** Whether the draft differs from the file. */
export const isDirty = ({definition, base, name, from}: Draft): boolean =>
	!same(definition, base) || name !== from;

const changedKeys = ({base, definition}: Draft): readonly string[] =>
	Object.keys({...base, ...definition}).filter(key => !same(base[key], definition[key]));

/** The number of changed keys; another name counts as one. */
export const countChanges = (draft: Draft): number =>
	changedKeys(draft).length + (isRenamed(draft) ? 1 : 0);

/** Says that changes are unsaved; `undefined` if there are none. */
export function unsavedText(draft: Draft): string | undefined {
	const count = countChanges(draft);
	return isDirty(draft)
		? `${draft.name || 'The new route'} has ${countOf(count, 'change')} that ${count === 1 ? 'is' : 'are'} not saved.`
		: undefined;
}

/** Rebases the draft on the route as somebody else saved it: keys changed here keep their values, all others take those of the file. */
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

/** The same after the person edited the file themselves. Undo cannot revert that, because it is already saved. */
export const afterOwnEdit = (draft: Draft, written: Parameters<typeof onTopOf>[1]): Draft => ({
	...onTopOf(draft, written),
	past: draft.past.map(({name, definition}) => ({
		name,
		definition: onTopOf({...draft, definition}, written).definition,
	})),
});

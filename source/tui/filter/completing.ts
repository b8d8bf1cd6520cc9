import type {StoredDelivery} from '../../core/delivery.ts';
import {derive} from '../../core/derive.ts';
import {knownValues} from '../../core/filter/known-values.ts';
import {
	completeFilterText,
	propose,
	unknownValue,
	type CompletedText,
	type Known,
	type KnownField,
	type Proposals,
} from '../../core/filter/proposals.ts';
import {singleLine} from '../../terminal/text/single-line.ts';
import {storedDeliveries} from '../entries/delivery-list.ts';
import {payloadOf} from '../payload/payload-tree.ts';
import type {Host} from '../shell/shell.ts';
import type {LocalState} from '../state/source.ts';

/** The last completion, and a count of them: each moves the cursor to the end of the text. */
const completing: LocalState<{
	readonly last: CompletedText | undefined;
	readonly turn: number;
}> = {initial: {last: undefined, turn: 0}};

/** The last loaded payload, by loader; the loader itself drops it when an incomplete filter matches nothing. */
const lastSeen = new WeakMap<object, StoredDelivery>();

/** The fields of a payload; memoised. */
const fieldsIn = derive(
	(delivery: StoredDelivery): readonly KnownField[] =>
		payloadOf(delivery)?.fields.filter(field => field !== undefined) ?? [],
);

/** Names and values known from the state and from the payload loaded last. */
function knownHere(shell: Host): Known {
	const loads = shell.loader(storedDeliveries);
	const seen = loads.last()?.value ?? lastSeen.get(loads);
	if (seen) {
		lastSeen.set(loads, seen);
	}

	return knownValues(shell.feed.get().state, () => (seen ? fieldsIn(seen) : []));
}

/** The open list with its filter's vocabulary; `undefined` if the pane has no list. */
function filteredNow(shell: Host) {
	const list = shell.openList();
	const {listing} = shell.section();
	return list && listing && {list, vocabulary: listing.vocabulary, known: knownHere(shell)};
}

/** The completions for the open list's filter. While the person cycles through them, the same ones as before, with the index of the inserted one. */
export function proposalsNow(shell: Host): Proposals & {readonly chosen?: number} {
	const filtered = filteredNow(shell);
	if (!filtered) {
		return {start: 0, words: []};
	}

	const {list, vocabulary, known} = filtered;
	const text = list.get().filterText;
	const {last} = shell.local(completing).get();
	const from = last?.text === text ? last : undefined;
	const again = from && propose(from.from, vocabulary, known);
	return again && again.words.length > 1
		? {...again, chosen: from.index}
		: propose(text, vocabulary, known);
}

/** Completes the open list's filter, or inserts the next completion. Does nothing if there is none. */
export function completeFilter(shell: Host, step: 1 | -1): void {
	const filtered = filteredNow(shell);
	if (!filtered) {
		return;
	}

	const {list, vocabulary, known} = filtered;
	const state = shell.local(completing);
	const next = completeFilterText(list.get().filterText, {
		last: state.get().last,
		step,
		proposalsFor: text => propose(text, vocabulary, known),
	});
	// A stranger's name may be longer than the field takes.
	if (next && singleLine(next.text, maxTyped) === next.text) {
		list.setFilter(next.text);
		state.set(({turn}) => ({last: next, turn: turn + 1}));
	}
}

const maxTyped = 500;

/** Why the open list's filter matches nothing, if known. */
export function doubtNow(shell: Host): string | undefined {
	const filtered = filteredNow(shell);
	if (!filtered) {
		return undefined;
	}

	const {list, vocabulary, known} = filtered;
	const {filter, filterText, items} = list.get();
	return (
		filter.doubt ?? (items.length === 0 ? unknownValue(filterText, vocabulary, known) : undefined)
	);
}

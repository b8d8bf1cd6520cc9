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

/** What was completed last, and how often something was: the cursor goes behind it. */
const completing: LocalState<{
	readonly last: CompletedText | undefined;
	readonly turn: number;
}> = {initial: {last: undefined, turn: 0}};

/** By its loader, which forgets it when the words of a filter that is not complete let nothing pass. */
const lastSeen = new WeakMap<object, StoredDelivery>();

/** The fields of a payload; of the same one made once. */
const fieldsIn = derive(
	(delivery: StoredDelivery): readonly KnownField[] =>
		payloadOf(delivery)?.fields.filter(field => field !== undefined) ?? [],
);

/** What the state has, and the payload that was looked at last. */
function knownHere(shell: Host): Known {
	const loads = shell.loader(storedDeliveries);
	const seen = loads.last()?.value ?? lastSeen.get(loads);
	if (seen) {
		lastSeen.set(loads, seen);
	}

	return knownValues(shell.feed.get().state, () => (seen ? fieldsIn(seen) : []));
}

/** The open list, and what the words of its filter may be; `undefined` where nothing is filtered. */
function filteredNow(shell: Host) {
	const list = shell.openList();
	const {listing} = shell.section();
	return list && listing && {list, vocabulary: listing.vocabulary, known: knownHere(shell)};
}

/** How the filter of the open list may go on. While one proposal is tried after the other, those of what was typed, with the one that is there. */
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

/** Completes the filter of the open list, or tries the next proposal. Nothing where there is none. */
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
	// A name of a stranger may be long, and the field takes no more.
	if (next && singleLine(next.text, maxTyped) === next.text) {
		list.setFilter(next.text);
		state.set(({turn}) => ({last: next, turn: turn + 1}));
	}
}

const maxTyped = 500;

/** Why the filter of the open list finds nothing, where that can be known. */
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

import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import type {Vocabulary} from '../../core/filter/filter.ts';
import type {JsonObject} from '../../core/json.ts';
import {countOf, grouped} from '../../core/names.ts';
import type {Act, Outcome} from '../../nouns/act.ts';
import type {Noun} from '../../nouns/noun.ts';
import type {HistoryQuestion, HistoryStep} from '../../store/history/port.ts';
import {confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell, tellEach} from '../console/print.ts';
import {requireFilter, searchHistory} from '../home/search-history.ts';

/** How things of a noun are found that an act is done to. */
export type Finder<Item, Port> = Pick<Noun<Item>, 'id' | 'many' | 'name'> & {
	readonly vocabulary: Vocabulary<Item>;
	/** One step of a search by a filter, newest first. */
	readonly search: (
		port: Port,
		question: Pick<HistoryQuestion, 'before' | 'filter' | 'limit'>,
	) => Promise<Pick<HistoryStep<Item>, 'items' | 'searchedTo'>>;
	readonly read: (port: Port, id: string) => Promise<Item | undefined>;
};

/** Flags of an act on several things. */
export type ManyFlags = {
	readonly filter?: string | undefined;
	readonly yes?: boolean | undefined;
	readonly json?: boolean | undefined;
};

/** Things that one filter may find: each is remembered while the others are looked for. */
const mostFound = 10_000;

/** Most lines printed; `--json` has every refusal. */
const mostTold = 20;

/** Why something was not done to one of several. */
type Refusal = {readonly id: string; readonly code: string; readonly message: string};

/** What the question needs of an item; not the item itself, which may be large. */
type Candidate = {
	readonly id: string;
	readonly kind: string;
	readonly means: string | undefined;
};

type Doing<Item, Port> = {
	readonly noun: Pick<Noun<Item>, 'isNumbered' | 'missing' | 'one'>;
	readonly act: Act<Item, Port, unknown>;
	readonly find: Finder<Item, Port>;
	readonly port: Port;
};

/**
 * Does an act to things that are named, or to all that pass a filter, one after the other; what is refused for one stops no other. What a filter finds is counted and asked about first, and so is a named
 * one that there is a doubt about. Exits with 1 when something was refused.
 *
 * @throws SvcError `filter_invalid`, `confirmation_needed`; without `--json` also what refuses the only one that is named
 */
export async function actOnMany<Item, Port>(
	context: Context,
	doing: Doing<Item, Port>,
	{
		ids: named,
		told,
		filter,
		yes,
		json = false,
	}: ManyFlags & {readonly ids: readonly string[]; readonly told: JsonObject},
): Promise<void> {
	const {noun, act, port} = doing;
	const ids =
		filter === undefined
			? await agreedOf(context, doing, {ids: named, yes})
			: await foundBy(context, doing, {filter, yes});
	if (ids === undefined) {
		return;
	}

	const isOne = named.length === 1 && !json;
	const done: Array<Outcome<unknown>> = [];
	const refused: Refusal[] = [];
	for (const id of ids) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- one after the other: thousands at once would be a flood of our own
			const outcome = await act.effect(port, id, {spanMs: 0, told});
			if (!outcome) {
				throw new SvcError(
					noun.missing,
					`Cannot ${act.verb} ${noun.one} ${id}: ${act.gone}, see "svc ${doing.find.many} list"`,
				);
			}

			done.push(outcome);
		} catch (error) {
			if (isOne) {
				throw error;
			}

			refused.push({id, code: codeOf(error), message: messageOf(error)});
		}
	}

	if (json) {
		printJson(context, {
			done: done.map(outcome => outcome.json),
			refused: refused.map(({id, ...why}) => ({[noun.one]: jsonId(noun, id), ...why})),
		});
	} else {
		const [first] = done;
		const many = `${grouped(done.length)} ${act.all?.done ?? 'done'}`;
		printLines(context, [isOne && first ? first.said : many]);
		tellAll(
			context,
			refused.map(({message}) => message),
		);
	}

	context.exit(refused.length === 0 ? 0 : 1);
}

const jsonId = ({isNumbered}: Pick<Noun<never>, 'isNumbered'>, id: string): number | string =>
	isNumbered ? Number(id) : id;

function tellAll(context: Context, lines: readonly string[]): void {
	tellEach(context, lines.slice(0, mostTold));
	if (lines.length > mostTold) {
		tell(context, `and ${grouped(lines.length - mostTold)} more`);
	}
}

/** The named identifiers, after a yes to those in doubt; `undefined` after a no. */
async function agreedOf<Item, Port>(
	context: Context,
	{act, find, port}: Doing<Item, Port>,
	{ids, yes}: Pick<ManyFlags, 'yes'> & {readonly ids: readonly string[]},
): Promise<readonly string[] | undefined> {
	const doubtOf = act.all?.onLine?.doubt;
	if (!doubtOf) {
		return ids;
	}

	const doubts: string[] = [];
	for (const id of ids) {
		// oxlint-disable-next-line no-await-in-loop -- as many as a person types
		const item = await find.read(port, id);
		const doubt = item && act.all.means(item) !== undefined ? doubtOf(item) : undefined;
		if (item && doubt !== undefined) {
			doubts.push(`${find.name(item)}: ${doubt}`);
		}
	}

	tellAll(context, doubts);
	const isAgreed =
		doubts.length === 0 ||
		(await confirm(context, {question: `${inCapital(act.verb)} all the same?`, leaves, yes}));
	return isAgreed ? ids : undefined;
}

/** What passes the filter and can be done, once the person has agreed to that; `undefined`: the person has not, or there is nothing. */
async function foundBy<Item, Port>(
	context: Context,
	{noun, act, find, port}: Doing<Item, Port>,
	{filter, yes}: Pick<ManyFlags, 'yes'> & {readonly filter: string},
): Promise<readonly string[] | undefined> {
	requireFilter(filter, find.vocabulary);
	const {all} = act;
	const found = await searchHistory<Candidate>(
		async cursor => {
			const {items, ...step} = await find.search(port, {...cursor, filter});
			return {
				...step,
				items: items.map(item => ({
					id: find.id(item),
					kind: all?.kind(item) ?? '',
					means: all?.means(item),
				})),
			};
		},
		{before: undefined, limit: mostFound + 1, keep: async some => some},
	);
	const able = found.slice(0, mostFound).filter(({means}) => means !== undefined);
	const unable = Math.min(found.length, mostFound) - able.length;
	const groups = Map.groupBy(able, ({kind, means}) => `${kind}: ${means}`);
	tellAll(context, [
		...[...groups].map(([words, {length}]) => `${grouped(length)} ${words}`),
		...(unable > 0
			? [`${countOf(unable, noun.one, find.many)} cannot be ${all?.done}: left as they are`]
			: []),
		...(found.length > mostFound
			? [`Only the newest ${grouped(mostFound)} that pass were looked at: repeat it for the others`]
			: []),
	]);
	const question = `${inCapital(act.verb)} ${countOf(able.length, noun.one, find.many)}?`;
	const isAgreed = able.length === 0 || (await confirm(context, {question, leaves, yes}));
	// The oldest first, as they came.
	return isAgreed ? able.map(({id}) => id).toReversed() : undefined;
}

const leaves = 'Nothing was done';

const inCapital = (verb: string): string => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;

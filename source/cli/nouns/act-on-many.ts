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

/** How the items of an act are found. */
export type Finder<Item, Port> = Pick<Noun<Item>, 'id' | 'many' | 'name'> & {
	readonly vocabulary: Vocabulary<Item>;
	/** One step of a filtered search, newest first. */
	readonly search: (
		port: Port,
		question: Pick<HistoryQuestion, 'before' | 'filter' | 'limit'>,
	) => Promise<Pick<HistoryStep<Item>, 'items' | 'searchedTo'>>;
	readonly read: (port: Port, id: string) => Promise<Item | undefined>;
};

/** The flags of an act on several items. */
export type ManyFlags = {
	readonly filter?: string | undefined;
	readonly yes?: boolean | undefined;
	readonly json?: boolean | undefined;
};

/** The most items that a filter may find: each is remembered during the search. */
const mostFound = 10_000;

/** The most lines printed; `--json` lists every refusal. */
const mostTold = 20;

/** Why an act was refused for an item. */
type Refusal = {readonly id: string; readonly code: string; readonly message: string};

/** What the question needs of an item, instead of the item itself, which may be large. */
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
 * Does an act to named items, or to all that match a filter, one after the other; a refusal does not stop the rest. Asks for confirmation first, with the count of
 * a filter's matches, or for named items in doubt. Exits with 1 if anything was refused.
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

/** The named identifiers, after a yes for those in doubt; `undefined` after a no. */
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

/** The items that match the filter and allow the act, after confirmation; `undefined` if the person declined, or there are none. */
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
	// Oldest first, in order of arrival.
	return isAgreed ? able.map(({id}) => id).toReversed() : undefined;
}

const leaves = 'Nothing was done';

const inCapital = (verb: string): string => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;

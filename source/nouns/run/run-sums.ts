import {compact, countOf, grouped} from '../../core/names.ts';
import type {RunSum, RunSums, SumsBy} from '../../core/run-sums.ts';
import {endedStates, tookWords, costWords, tokenWords} from '../../core/run.ts';
import {ageText, dayTime} from '../../terminal/text/time.ts';
import {column, fact, type Fact, type Noun} from '../noun.ts';

const spanWords = (ms: number): string => tookWords({startedAt: 0, finishedAt: ms}, ms) ?? '';

/** `97%`, rounded down: 100% means all succeeded. */
const successWords = ({success}: RunSum): string | undefined =>
	success === undefined ? undefined : `${Math.floor(success * 100)}%`;

/** `$1.24 + €0.30 + ?`: a question mark stands for unknown costs; `undefined` without any usage. */
function costsWords({costs, unpriced, uncounted}: RunSum): string | undefined {
	const parts = [...costs.map(costWords), ...(unpriced + uncounted > 0 ? ['?'] : [])];
	return parts.length === 0 ? undefined : parts.join(' + ');
}

/** Why a part of the cost is unknown; `undefined` if all is known. */
function unknownWords({unpriced, uncounted}: RunSum): string | undefined {
	const parts = [
		...(unpriced > 0 ? [`${countOf(unpriced, 'run')} without a known price`] : []),
		...(uncounted > 0 ? [`${countOf(uncounted, 'run')} whose tokens were not told`] : []),
	];
	return parts.length === 0 ? undefined : `cost unknown: ${parts.join('; ')}`;
}

/** The label of runs without a route, key, model or job. */
const nameless: Readonly<Record<SumsBy, string>> = {
	route: '- (no route)',
	key: '- (no key)',
	model: '- (no answer)',
	job: '- (no job)',
};

const nameOf = (sum: RunSum, by: SumsBy): string =>
	(by === 'job' ? sum.job?.name : (sum[by] ?? undefined)) ?? nameless[by];

/** Whether the cost of any run is known. */
const isPriced = (rows: readonly RunSum[]): boolean => rows.some(({costs}) => costs.length > 0);

/** What `svc usage` prints: one row for each route, key, model or job. @see manual/runs.md#sums */
export function sumsTable({
	by,
	since,
	rows,
}: RunSums): Pick<Noun<RunSum>, 'columns' | 'many' | 'note' | 'printed'> {
	const hasOthers = rows.some(({profile = 'default'}) => profile !== 'default');
	const ids = by === 'job' ? ['id'] : [];
	const cost = isPriced(rows) ? ['cost'] : [];
	return {
		many: 'runs',
		columns: [
			column(by, 0, sum => nameOf(sum, by)),
			column('id', 0, ({job}) => job?.id ?? '-'),
			column('profile', 0, ({profile = '-'}) => profile),
			column('runs', 0, ({runs}) => grouped(runs)),
			column('success', 0, sum => successWords(sum) ?? '-'),
			column('in', 0, ({inputTokens}) => grouped(inputTokens)),
			column('out', 0, ({outputTokens}) => grouped(outputTokens)),
			column('cost', 0, sum => costsWords(sum) ?? '-'),
			column('median', 0, ({medianMs}) => (medianMs === undefined ? '-' : spanWords(medianMs))),
			column('longest', 0, ({longestMs}) => (longestMs === undefined ? '-' : spanWords(longestMs))),
		],
		printed: {
			columns: [
				by,
				...ids,
				...(hasOthers ? ['profile'] : []),
				'runs',
				'success',
				'in',
				'out',
				...cost,
				'median',
				'longest',
			],
			whole: ['runs', 'success', ...cost],
			optional: [...ids, 'longest', 'median'],
			empty: `No runs since ${dayTime(since)}`,
		},
		// If no model has a price, one sentence after the table says so.
		...(isPriced(rows) && {note: unknownWords}),
	};
}

/** Which runs or times the totals lack, in sentences. `asked`: the requested start, in milliseconds since 1970. */
export const missingFromSums = (
	{since, until, keptMs, leftOut}: RunSums,
	asked: number,
): readonly string[] =>
	compact([
		keptMs !== undefined &&
			asked < until - keptMs &&
			`Runs are kept for ${ageText(keptMs)} (retention.row_days): what was removed is not in these sums`,
		since > asked &&
			`There are more runs than are looked at: these are the sums since ${dayTime(since)}; use a later --since`,
		leftOut > 0 &&
			`${countOf(leftOut, 'run')} of further names are in no row: 1,000 are told apart`,
	]);

/** A sentence saying why no row has a cost; absent if one has. In JSON each row says it itself. */
export const costUnknown = ({rows}: RunSums): readonly string[] =>
	!isPriced(rows) && rows.some(({unpriced}) => unpriced > 0)
		? ['What that costs is not known: model.price in config.yaml says it (svc help model)']
		: [];

/** The totals of a route or key below the heading `title`; empty if unknown. */
export function sumFacts(
	sums: RunSums | undefined,
	title: string,
	isOwn: (sum: RunSum) => boolean,
): readonly Fact[] {
	const sum = sums?.rows.find(isOwn);
	if (!sums || (!sum && sums.leftOut > 0)) {
		return [];
	}

	const heading = {title: `${title}, ${ageText(sums.until - sums.since)}`};
	if (!sum) {
		return [heading, ...fact('runs', 'none')];
	}

	const {runs, open, medianMs, longestMs} = sum;
	const ends = [...endedStates.map(state => [sum[state], state] as const), [open, 'open'] as const]
		.filter(([count]) => count > 0)
		.map(([count, state]) => `${grouped(count)} ${state}`);
	return [
		heading,
		...fact('runs', `${grouped(runs)}: ${ends.join(', ')}`),
		...fact('success', successWords(sum)),
		...fact('tokens', tokenWords(sum)),
		...fact('cost', costsWords(sum)),
		...fact('', unknownWords(sum)),
		...fact(
			'took',
			medianMs === undefined || longestMs === undefined
				? undefined
				: `median ${spanWords(medianMs)}, longest ${spanWords(longestMs)}`,
		),
	];
}

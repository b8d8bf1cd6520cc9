import {runVocabulary} from '../../core/filter/vocabularies.ts';
import {isTurn, originOf, originWords} from '../../core/origin.ts';
import {hasEnded, needsDecision, type Run, targetWords, tookWords} from '../../core/run.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {safe} from '../../terminal/text/safe.ts';
import {clockTime, printableTime} from '../../terminal/text/time.ts';
import {aboutText} from '../about.ts';
import {column, mainColumn, from, type AsOf, type Noun, type ValuePlace} from '../noun.ts';
import {approvalOf, printedState, runFacts, type RunMore} from './run-facts.ts';
import {runWordAt, signOrWord, waitsForLogin} from './run-word.ts';

/** A name cut shorter says nothing. */
const leastName = 4;

/** Narrower lists hide the route, which is in the detail beside them. */
const routeFrom = 62;

/** What started the run: its route, the job if fired by schedule or a person, or a key of the API. */
const routeText = (run: Run): Safe => escapeLine(originWords(originOf(run)));

/**
 * The event's subject, else its type, with the route if that has no column; then the number of superseded events, the job fired by a route, and the gateway
 * working on it if it is another one.
 */
function whyText(run: Run, {room, shows}: ValuePlace): Safe {
	const {route, event, subject, superseded = 0, job, node} = run;
	const name =
		subject === undefined && !shows('route')
			? safe`${routeText(run)} ${escapeLine(event)}`
			: aboutText(subject ?? event, room);
	const extras = [
		...(superseded > 0 ? [safe`+${superseded} old`] : []),
		...(job && route !== '-' ? [safe`job ${escapeLine(job.name)}`] : []),
		...(node !== undefined && !hasEnded(run.state) ? [safe`at ${escapeLine(node)}`] : []),
	];
	const [first, ...more] = extras;
	if (first === undefined) {
		return name;
	}

	// The subject is cut first: the rest is nowhere else in the row.
	const extra = more.reduce((text, part) => safe`${text} ${part}`, first);
	const rest = room - widthOf(extra) - 1;
	return rest < leastName ? extra : safe`${clip(name, rest)} ${extra}`;
}

const wordOf = (run: Run, {now, approvals}: AsOf & RunMore, room = Infinity) =>
	runWordAt(run, now, {room, approval: approvalOf(run, approvals)});

/** An agent run. @see manual/runs.md */
export const runNoun: Noun<Run, RunMore> = {
	one: 'run',
	many: 'runs',
	argument: 'run',
	missing: 'run_not_found',
	isNumbered: true,
	id: ({id}) => String(id),
	name: ({id}) => `run #${id}`,
	sign: (run, {approvals}) =>
		needsDecision(run) || waitsForLogin(run) || approvalOf(run, approvals) ? '!' : ' ',
	columns: [
		mainColumn(
			'run',
			{usual: 5, below: routeFrom, least: 4, most: 8},
			{label: '#', value: ({id}) => String(id), printed: ({id}) => `#${id}`},
		),
		mainColumn(
			'created',
			{cells: 8, keeps: 20},
			{
				label: 'time',
				value: ({createdAt}) => clockTime(createdAt),
				printed: ({createdAt}) => printableTime(createdAt),
			},
		),
		column('profile', 0, ({profile}) => profile),
		mainColumn('route', {share: 0.34, most: 24, from: routeFrom}, routeText),
		mainColumn('why', {least: leastName}, (run, _known, place) => whyText(run, place)),
		column('event', 0, ({event, superseded}) =>
			superseded === undefined ? event : `${event} (+${superseded})`,
		),
		column('subject', 0, ({subject = ''}) => subject),
		column(
			'state',
			// A longer state takes room in its own row only.
			{usual: 8, below: Infinity, least: 5, most: 8},
			{
				takes: {before: leastName},
				value: (run, known, {room}) => signOrWord(run, wordOf(run, known, room)),
				tone: (run, known) => wordOf(run, known).tone,
				printed: printedState,
			},
		),
		column('node', 0, ({node = ''}) => node),
		column('target', from(96, 14), targetWords),
		column('tools', 0, ({toolCalls}) => String(toolCalls)),
		column(
			'time',
			{usual: 7, below: routeFrom, least: 5, most: 8},
			{
				label: 'took',
				align: 'end',
				value: (run, {now}) => tookWords(run, now) ?? '-',
				printed: (run, {now}) => tookWords(run, now) ?? '',
			},
		),
		column('error', 0, ({error = ''}) => error),
	],
	printed: {
		columns: 'run created profile route event subject state node target tools time error'.split(
			' ',
		),
		whole: ['run', 'created', 'state'],
		optional: ['node', 'tools', 'target', 'time', 'event'],
		empty: 'No runs yet: an accepted delivery starts one',
	},
	factCells: 8,
	head: (run, known) => [
		{
			text: `#${run.id}  ${isTurn(originOf(run)) ? originWords(originOf(run)) : run.route}  ${run.event}`,
			tone: 'strong',
		},
		{text: printedState(run, known)},
		{text: `-> ${targetWords(run)}`},
	],
	facts: runFacts,
	vocabulary: runVocabulary,
	copies: {
		of: ({id, answer, error}) => [
			{
				key: 'a',
				label: 'answer',
				// The list holds only the beginning of an answer.
				text: async port => (await port.getRun(id))?.fullAnswer ?? answer ?? '',
			},
			{key: 'i', label: 'run id', text: String(id)},
			...(error === undefined ? [] : [{key: 'e', label: 'error', text: error}]),
		],
	},
};

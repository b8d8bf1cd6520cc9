import type {Approval} from '../../core/approval.ts';
import {countOf} from '../../core/counted.ts';
import {
	conversationWords,
	type Origin,
	originOf,
	originWords,
	untrustedWords,
} from '../../core/origin.ts';
import {readWords} from '../../core/prompt-read.ts';
import {quotedName} from '../../core/quoted-name.ts';
import {
	hasEnded,
	type Run,
	type StoredRun,
	targetWords,
	tookWords,
	toolWords,
	type TranscriptEntry,
} from '../../core/run.ts';
import {loginCommand} from '../../core/shell-word.ts';
import {usageWords} from '../../core/usage.ts';
import type {Table} from '../console/print-table.ts';
import {printableTime} from '../console/print.ts';

/** What is known beside the runs. */
type AsOf = {
	/** Milliseconds since 1970. */
	readonly now: number;
	/** What waits for a person. */
	readonly approvals: readonly Approval[];
};

/** Runs as a table. `isFiltered`: only some were asked for. */
export function runTable(
	runs: readonly Run[],
	{isFiltered, ...asOf}: AsOf & {readonly isFiltered: boolean},
): Table {
	const hasProfiles = runs.some(({profile}) => profile !== 'default');
	return {
		header: [
			'RUN',
			'CREATED',
			...(hasProfiles ? ['PROFILE'] : []),
			'ROUTE',
			'EVENT',
			'SUBJECT',
			'STATE',
			'TARGET',
			'TOOLS',
			'TIME',
			'ERROR',
		],
		rows: runs.map(run => [
			`#${run.id}`,
			printableTime(run.createdAt),
			...(hasProfiles ? [run.profile] : []),
			originWords(originOf(run)),
			run.superseded === undefined ? run.event : `${run.event} (+${run.superseded})`,
			run.subject ?? '',
			stateText(run, asOf),
			targetWords(run),
			String(run.toolCalls),
			tookWords(run, asOf.now) ?? '',
			run.error ?? '',
		]),
		empty: isFiltered ? 'No such runs' : 'No runs yet: an accepted delivery starts one',
		whole: ['RUN', 'CREATED', 'STATE'],
		optional: ['TOOLS', 'TARGET', 'TIME', 'EVENT'],
	};
}

/** `queued until 23:25:10`, with its day when that is another one: what waits for its time waits for no worker. */
function stateText(run: Run, {now, approvals}: AsOf): string {
	const {state, nextAttemptAt} = run;
	const approval = askedBy(run, approvals);
	if (approval) {
		return `waits approval until ${timeSeenFrom(now, approval.deadline)}`;
	}

	if (nextAttemptAt === undefined || nextAttemptAt <= now || hasEnded(state)) {
		return state;
	}

	const what = run.awaitsLogins ? 'waits login' : state;
	return `${what} until ${timeSeenFrom(now, nextAttemptAt)}`;
}

/** What the run waits for, if a person has to answer. */
const askedBy = ({id, state}: Run, approvals: readonly Approval[]): Approval | undefined =>
	hasEnded(state) ? undefined : approvals.find(({run}) => run === id);

/** `23:25:10`, with its day when that is another one. */
function timeSeenFrom(now: number, at: number): string {
	const text = printableTime(at);
	const [day = '', time = ''] = text.split(' ');
	return printableTime(now).startsWith(day) ? time : text;
}

function chatLines(origin: Origin): readonly string[] {
	switch (origin.kind) {
		case 'delivery':
		case 'job':
			return [];

		case 'key':
			return [`chat      of the API key ${quotedName(origin.name)}`];

		case 'person':
			return ['chat      of the person at the terminal'];

		case 'chat':
			return [`chat      ${conversationWords(origin)}, user ${quotedName(origin.user)}`];
	}
}

/** A run in lines: where it stands, its prompt, its steps with who allowed what, its answer. */
export function describeRun(run: StoredRun, asOf: AsOf): readonly string[] {
	const approval = askedBy(run, asOf.approvals);
	const took = tookWords(run, asOf.now);
	const origin = originOf(run);
	const untrusted = untrustedWords[origin.kind];
	const wasTried = run.attempt > 0 || run.deliveryAttempt > 0;
	return [
		`#${run.id}  ${run.route}  ${run.event}  ${stateText(run, asOf)}  -> ${targetWords(run)}`,
		...(run.subject === undefined ? [] : [`subject   ${run.subject}`]),
		...(approval ? [`approval  ${approval.id} (svc approvals show ${approval.id})`] : []),
		...(run.delivery === undefined
			? []
			: [`delivery  ${run.delivery} (svc deliveries show ${run.delivery})`]),
		...(run.group === undefined
			? []
			: [
					`group     ${run.group}, ${countOf(run.superseded ?? 0, 'earlier event')} superseded (svc groups show ${run.group})`,
				]),
		...(run.job ? [`job       ${run.job.name} (${run.job.id})`] : []),
		...chatLines(origin),
		...(run.profile === 'default' ? [] : [`profile   ${run.profile}`]),
		`created   ${printableTime(run.createdAt)}, ${triesOf(run.attempt, 'agent')}, ${triesOf(run.deliveryAttempt, 'delivery')}`,
		...(took === undefined ? [] : [`took      ${took}, ${countOf(run.toolCalls, 'tool call')}`]),
		...(run.model ? [`model     ${run.model}`] : []),
		...(run.usage ? [`tokens    ${usageWords(run.usage)}`] : []),
		...(run.awaitsLogins ?? []).map(
			name => `login     waits for one to "${name}": ${loginCommand({profile: run.profile, name})}`,
		),
		...(run.nextAttemptAt === undefined
			? []
			: [
					`${wasTried ? 'next try' : 'starts  '}  ${printableTime(run.nextAttemptAt)}${run.awaitsLogins ? ` without; at once: svc runs retry ${run.id}` : ''}`,
				]),
		...(run.plan.read ? [`read      ${readWords(run.plan.read)}`] : []),
		...(run.error ? [`error     ${run.error}`] : []),
		...(run.state === 'uncertain' ? ['verify at the target before trying again'] : []),
		'',
		untrusted === undefined ? 'prompt' : `prompt (${untrusted})`,
		...indented(run.plan.prompt),
		'',
		'transcript',
		...run.transcript.map(
			entry =>
				`  ${printableTime(entry.at)} ${entry.kind.padEnd(11)} ${toolOf(entry)}${firstLine(entry.text)}`,
		),
		'',
		'answer',
		...(run.fullAnswer === undefined ? ['(none)'] : indented(run.fullAnswer)),
	];
}

/** A text of others, in which no line can be taken for one of ours. */
const indented = (text: string): readonly string[] =>
	text.split(/\r\n|[\n\u2028\u2029]/).map(line => (line === '' ? '' : `  ${line}`));

const triesOf = (count: number, what: string): string =>
	`${count} ${what} ${count === 1 ? 'try' : 'tries'}`;

function toolOf(entry: TranscriptEntry): string {
	const words = toolWords(entry);
	return words === undefined ? '' : `${words}${entry.kind === 'tool-call' ? ' ' : ': '}`;
}

const firstLine = (text: string): string => {
	const [line = '', ...more] = text.split('\n');
	return more.length > 0 ? `${line} … ${more.length} more lines` : line;
};

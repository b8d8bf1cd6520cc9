import type {Approval} from '../../core/approval.ts';
import {countOf, quotedName} from '../../core/names.ts';
import {conversationWords, originOf, untrustedWords} from '../../core/origin.ts';
import {
	type Run,
	type StoredRun,
	type TranscriptEntry,
	hasEnded,
	prefetchWords,
	readWords,
	tookWords,
	toolWords,
	usageWords,
} from '../../core/run.ts';
import {loginCommand} from '../../core/shell-words.ts';
import {printableTime} from '../../terminal/text/time.ts';
import {type AsOf, type Fact, fact} from '../noun.ts';

/** What rows and facts depend on besides the run: all waiting approvals, and the stored run. */
export type RunMore = {
	readonly approvals?: readonly Approval[];
	readonly stored?: StoredRun;
};

/** The approval that a run waits for, if any. */
export const approvalOf = (
	{id, state}: Pick<Run, 'id' | 'state'>,
	approvals: readonly Approval[] = [],
): Approval | undefined => (hasEnded(state) ? undefined : approvals.find(({run}) => run === id));

/** `queued until 23:25:10`, with the date if it is another day: tells a scheduled start from waiting for a worker. */
export function printedState(run: Run, {now, approvals}: AsOf & RunMore): string {
	const {state, nextAttemptAt} = run;
	const approval = approvalOf(run, approvals);
	if (approval) {
		return `waits approval until ${timeSeenFrom(now, approval.deadline)}`;
	}

	if (nextAttemptAt === undefined || nextAttemptAt <= now || hasEnded(state)) {
		return state;
	}

	return `${run.awaitsLogins ? 'waits login' : state} until ${timeSeenFrom(now, nextAttemptAt)}`;
}

/** `23:25:10`, with the date if it is another day. */
function timeSeenFrom(now: number, at: number): string {
	const text = printableTime(at);
	const [day = '', time = ''] = text.split(' ');
	return printableTime(now).startsWith(day) ? time : text;
}

const triesOf = (count: number, what: string): string =>
	countOf(count, `${what} try`, `${what} tries`);

function chatWords(run: Run): string | undefined {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
		case 'job':
			return undefined;

		case 'key':
			return `of the API key ${quotedName(origin.name)}`;

		case 'person':
			return 'of the person at the terminal';

		case 'chat':
			return `${conversationWords(origin)}, user ${quotedName(origin.user)}`;
	}
}

/** The facts of a run: its state, prompt, steps with their approvals, and answer. */
export function runFacts(run: Run, {now, approvals, stored}: AsOf & RunMore): readonly Fact[] {
	const approval = approvalOf(run, approvals);
	const took = tookWords(run, now);
	const {delivery, group, job, profile, superseded = 0} = run;
	const wasTried = run.attempt > 0 || run.deliveryAttempt > 0;
	return [
		...fact('subject', run.subject),
		...fact('gateway', run.node ?? stored?.node),
		...fact('approval', approval && `${approval.id} (svc approvals show ${approval.id})`),
		...fact('delivery', delivery && `${delivery} (svc deliveries show ${delivery})`),
		...fact(
			'group',
			group === undefined
				? undefined
				: `${group}, ${countOf(superseded, 'earlier event')} superseded (svc groups show ${group})`,
		),
		...fact('job', job && `${job.name} (${job.id})`),
		...fact('chat', chatWords(run)),
		...fact('profile', profile === 'default' ? undefined : profile),
		...fact(
			'created',
			`${printableTime(run.createdAt)}, ${triesOf(run.attempt, 'agent')}, ${triesOf(run.deliveryAttempt, 'delivery')}`,
		),
		...fact('took', took && `${took}, ${countOf(run.toolCalls, 'tool call')}`),
		...fact('model', run.model),
		...fact('tokens', run.usage && usageWords(run.usage)),
		...(run.awaitsLogins ?? []).flatMap(name =>
			fact('login', `waits for one to "${name}": ${loginCommand({profile, name})}`),
		),
		...fact(
			wasTried ? 'next try' : 'starts',
			run.nextAttemptAt === undefined
				? undefined
				: `${printableTime(run.nextAttemptAt)}${afterNext(run, now)}`,
		),
		...fact('read', stored?.plan.read && readWords(stored.plan.read)),
		...fact('prefetch', prefetchWords(stored?.plan.prefetch)),
		...fact('skill', stored && skillOf(stored)),
		...fact('error', run.error),
		...fact('dropped', droppedWords(run)),
		...(run.state === 'uncertain' ? [{text: 'verify at the target before trying again'}] : []),
		...(stored ? storedFacts(stored) : []),
	];
}

/** Says that a due run waits for a worker, or for its chat's rate limit. */
function afterNext({id, awaitsLogins, nextAttemptAt = 0, state}: Run, now: number): string {
	if (awaitsLogins) {
		return ` without; at once: svc runs retry ${id}`;
	}

	return nextAttemptAt > now || hasEnded(state) ? '' : ', due: it waits for its turn';
}

/** The skill loaded by the last try. */
function skillOf({transcript}: StoredRun): string | undefined {
	const skill = transcript.findLast(({kind}) => kind === 'prompt')?.data?.['skill'];
	return typeof skill === 'string' ? skill : undefined;
}

/** When and why a person dropped the run, and its state before. */
export const droppedWords = ({dropped}: Run): string | undefined =>
	dropped &&
	`${printableTime(dropped.at)}, was ${dropped.was}${dropped.reason === undefined ? '' : `: ${dropped.reason}`}`;

function storedFacts(run: StoredRun): readonly Fact[] {
	const untrusted = untrustedWords[originOf(run).kind];
	return [
		{title: untrusted === undefined ? 'prompt' : `prompt (${untrusted})`},
		{text: run.plan.prompt},
		{title: 'transcript'},
		...run.transcript.map(entry => ({
			text: `${printableTime(entry.at)} ${entry.kind.padEnd(11)} ${toolOf(entry)}${firstLine(entry.text)}`,
		})),
		{title: 'answer'},
		{text: run.fullAnswer ?? '(none)'},
	];
}

function toolOf(entry: TranscriptEntry): string {
	const words = toolWords(entry);
	return words === undefined ? '' : `${words}${entry.kind === 'tool-call' ? ' ' : ': '}`;
}

const firstLine = (text: string): string => {
	const [line = '', ...more] = text.split('\n');
	return more.length > 0 ? `${line} … ${more.length} more lines` : line;
};

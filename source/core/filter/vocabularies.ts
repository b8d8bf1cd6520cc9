import {approvalOutcomes, approvalScopes, type Approval, type ApprovalRule} from '../approval.ts';
import {derive} from '../derive.ts';
import type {Group} from '../group.ts';
import {logLevels, type LogRecord} from '../log.ts';
import {chatText, originKinds, originOf} from '../origin.ts';
import {type Run, runStates} from '../run.ts';
import type {Vocabulary} from './filter.ts';
import {numberTerm, sinceTerm, textTerm, termsOf} from './terms.ts';

/** The terms of the filter of groups. */
export const groupVocabulary: Vocabulary<Group> = {
	terms: termsOf<Group>({
		route: textTerm(group => group.route, {
			says: 'the route of its events',
			example: 'route:gh-review',
			field: 'route',
		}),
		key: textTerm(group => group.key, {
			says: 'the coalescing key of its events',
			example: 'key:api#42',
		}),
		state: textTerm(group => group.state, {
			says: 'its state',
			example: 'state:pending',
			words: ['pending', 'dispatched'],
		}),
		event: textTerm(group => group.event, {
			says: 'the type of its latest event',
			example: 'event:push',
		}),
		count: numberTerm(group => group.count, {
			says: 'the number of its events',
			example: 'count>5',
			field: 'count',
		}),
		id: numberTerm(group => group.id, {says: 'its number', example: 'id:183', field: 'id'}),
		since: sinceTerm(group => group.lastAt, {
			says: 'its latest event came within a span, or since a time of the last day',
			example: 'since:2h',
			field: 'since',
		}),
	}),
	haystack: ({route, key, event, state, latest}) =>
		`${route} ${key} ${event} ${state} ${latest}`.toLowerCase(),
};

/** The terms of the filter of runs. */
export const runVocabulary: Vocabulary<Run> = {
	terms: termsOf<Run>({
		route: textTerm(run => run.route, {
			says: 'the route of its event',
			example: 'route:gh-review',
			field: 'route',
		}),
		state: textTerm(run => run.state, {
			says: 'its state',
			example: 'state:dead,uncertain',
			words: runStates,
			field: 'state',
		}),
		event: textTerm(run => run.event, {says: 'the type of its event', example: 'event:push'}),
		subject: textTerm(run => run.subject ?? '', {
			says: 'what its event is about',
			example: 'subject:"fix flaky"',
		}),
		target: textTerm(run => run.target, {
			says: 'the target of its answer',
			example: 'target:forge_comment',
			field: 'target',
		}),
		job: textTerm(({job}) => (job ? `${job.name} ${job.id}` : ''), {
			says: 'the name or identifier of its job',
			example: 'job:nightly',
		}),
		from: textTerm(run => originOf(run).kind, {
			says: 'its origin',
			example: 'from:key,person',
			words: originKinds,
		}),
		chat: textTerm(chatText, {
			says: 'the conversation on a platform that it answers, or who wrote there',
			example: 'chat:telegram:12345',
		}),
		group: numberTerm(({group}) => group ?? Number.NaN, {
			says: 'the number of its group',
			example: 'group:12',
		}),
		id: numberTerm(run => run.id, {says: 'its number', example: 'id>=180', field: 'id'}),
		since: sinceTerm(run => run.createdAt, {
			says: 'queued within a span, or since a time of the last day',
			example: 'since:1d',
			field: 'since',
		}),
	}),
	haystack: ({
		id,
		route,
		event,
		subject = '',
		state,
		target,
		delivery = '',
		job,
		error = '',
		dropped,
		conversation,
	}) =>
		[
			`#${id}`,
			route,
			event,
			subject,
			state,
			target,
			delivery,
			job?.name ?? '',
			job?.id ?? '',
			error,
			dropped?.reason ?? '',
			...(conversation ? [chatText({conversation})] : []),
		]
			.join(' ')
			.toLowerCase(),
};

/** A log record to be filtered. */
type LoggedRecord = {readonly record: LogRecord};

/** `message k=v`, as one line. */
export const recordText = ({message, fields}: LogRecord): string =>
	[message, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(' ');

const haystackOf = derive((record: LogRecord) =>
	`${record.source} ${recordText(record)}`.toLowerCase(),
);

const fieldOf = ({fields}: LogRecord, name: string): string => String(fields[name] ?? '');

/** The terms of the filter of logs; `source:` is the same as `room:`. */
export const logVocabulary: Vocabulary<LoggedRecord> = {
	terms: termsOf<LoggedRecord>({
		level: textTerm(({record}) => record.level, {
			says: 'its level',
			example: 'level:error,warn',
			words: logLevels,
		}),
		room: textTerm(({record}) => record.source, {
			says: 'the part of svc that wrote it',
			example: 'room:webhook',
		}),
		source: textTerm(({record}) => record.source, {
			says: 'the same as `room`',
			example: 'source:agent',
		}),
		run: numberTerm(({record}) => Number(record.fields['run'] ?? Number.NaN), {
			says: 'the run that it is about',
			example: 'run:184',
		}),
		delivery: textTerm(({record}) => fieldOf(record, 'delivery'), {
			says: 'the delivery that it is about',
			example: 'delivery:d7f3a1',
		}),
		route: textTerm(({record}) => fieldOf(record, 'route'), {
			says: 'the route that it is about',
			example: 'route:gh-review',
		}),
		since: sinceTerm(({record}) => record.at, {
			says: 'written within a span, or since a time of the last day',
			example: 'since:10m',
		}),
	}),
	haystack: ({record}) => haystackOf(record),
};

/** A waiting or settled request, or a rule. */
export type ApprovalEntry =
	| {readonly kind: 'waiting' | 'settled'; readonly approval: Approval}
	| {readonly kind: 'rule'; readonly rule: ApprovalRule};

const serverOf = (entry: ApprovalEntry): string => {
	if (entry.kind === 'rule') {
		return entry.rule.server ?? '';
	}

	return (
		(entry.approval.kind === 'tool' ? entry.approval.tool.server : entry.approval.server) ?? ''
	);
};

const toolOf = (entry: ApprovalEntry): string => {
	if (entry.kind === 'rule') {
		return entry.rule.tool;
	}

	return entry.approval.kind === 'tool' ? entry.approval.tool.tool : 'form';
};

const outcomeOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? entry.rule.scope : (entry.approval.decision?.outcome ?? 'waiting');

const runNumber = (entry: ApprovalEntry): number =>
	(entry.kind === 'rule' ? entry.rule.run : entry.approval.run) ?? Number.NaN;

const routeOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' ? '' : (entry.approval.route ?? '');

const fromOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule' || entry.approval.run === undefined ? '' : originOf(entry.approval).kind;

const chatOf = (entry: ApprovalEntry): string =>
	entry.kind === 'rule'
		? entry.rule.owner?.kind === 'chat'
			? entry.rule.owner.name
			: ''
		: chatText(entry.approval);

/** The terms of the filter of approvals and rules. */
export const approvalVocabulary: Vocabulary<ApprovalEntry> = {
	terms: termsOf<ApprovalEntry>({
		kind: textTerm(entry => entry.kind, {
			says: 'the kind of the row',
			example: 'kind:rule',
			words: ['waiting', 'rule', 'settled'],
		}),
		server: textTerm(serverOf, {says: 'the tool server', example: 'server:files'}),
		tool: textTerm(toolOf, {says: 'the tool, or form', example: 'tool:write_*'}),
		outcome: textTerm(outcomeOf, {
			says: 'the outcome, or the scope of a rule',
			example: 'outcome:denied',
			words: ['waiting', ...approvalOutcomes, ...approvalScopes],
		}),
		route: textTerm(routeOf, {says: 'the route of its run', example: 'route:gh-review'}),
		from: textTerm(fromOf, {
			says: 'the origin of its run',
			example: 'from:chat',
			words: originKinds,
		}),
		chat: textTerm(chatOf, {
			says: 'the conversation on a platform that asked, or who wrote there',
			example: 'chat:telegram:12345',
		}),
		run: numberTerm(runNumber, {says: 'the number of its run', example: 'run:184'}),
		since: sinceTerm(
			entry => (entry.kind === 'rule' ? entry.rule.createdAt : entry.approval.requestedAt),
			{says: 'asked within a span, or since a time of the last day', example: 'since:2h'},
		),
	}),
	haystack: entry =>
		`${entry.kind} ${serverOf(entry)} ${toolOf(entry)} ${outcomeOf(entry)} ${routeOf(entry)} ${chatOf(entry)}`.toLowerCase(),
};

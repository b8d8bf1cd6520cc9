import {approvalOutcomes, approvalScopes, type Approval, type ApprovalRule} from '../approval.ts';
import {chatText, originKinds, originOf} from '../origin.ts';
import type {Term, Vocabulary} from './filter.ts';
import {numberTerm, sinceTerm, textTerm} from './terms.ts';

/** A request that waits or was settled, or a rule that stands for a person. */
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

/** The words of a filter of approvals and rules. */
export const approvalVocabulary: Vocabulary<ApprovalEntry> = {
	terms: new Map<string, Term<ApprovalEntry>>([
		[
			'kind',
			textTerm(entry => entry.kind, {
				says: 'what the row is',
				example: 'kind:rule',
				words: ['waiting', 'rule', 'settled'],
			}),
		],
		['server', textTerm(serverOf, {says: 'the tool server', example: 'server:files'})],
		['tool', textTerm(toolOf, {says: 'the tool, or form', example: 'tool:write_*'})],
		[
			'outcome',
			textTerm(outcomeOf, {
				says: 'how it was settled, or how far a rule reaches',
				example: 'outcome:denied',
				words: ['waiting', ...approvalOutcomes, ...approvalScopes],
			}),
		],
		['route', textTerm(routeOf, {says: 'the route of its run', example: 'route:gh-review'})],
		[
			'from',
			textTerm(fromOf, {
				says: 'where its run comes from',
				example: 'from:chat',
				words: originKinds,
			}),
		],
		[
			'chat',
			textTerm(chatOf, {
				says: 'the conversation on a platform that asked, or who wrote there',
				example: 'chat:telegram:12345',
			}),
		],
		['run', numberTerm(runNumber, {says: 'the number of its run', example: 'run:184'})],
		[
			'since',
			sinceTerm(
				entry => (entry.kind === 'rule' ? entry.rule.createdAt : entry.approval.requestedAt),
				{says: 'asked since: so long ago, or that time of the last day', example: 'since:2h'},
			),
		],
	]),
	haystack: entry =>
		`${entry.kind} ${serverOf(entry)} ${toolOf(entry)} ${outcomeOf(entry)} ${routeOf(entry)} ${chatOf(entry)}`.toLowerCase(),
};

import type {
	Approval,
	ApprovalDecision,
	ApprovalOutcome,
	ApprovalRule,
	ToolClaims,
} from '../../core/approval.ts';
import {keysText} from '../../core/approvals/rule-keys.ts';
import {quotedName} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {duration} from '../../terminal/text/time.ts';
import type {Tone} from '../noun.ts';

/** What a request asks for: `create_issue`, `a form`. */
export const askedFor = (approval: Approval): Safe =>
	approval.kind === 'tool' ? escapeLine(quotedName(approval.tool.tool)) : literal('a form');

/** The server of the tool or form; `undefined` for a built-in tool. */
export const serverNameOf = (approval: Approval): string | undefined =>
	approval.kind === 'tool' ? approval.tool.server : approval.server;

/** Names the server that asks, for use in a sentence. */
export const askingServer = (approval: Approval): Safe =>
	escapeLine(serverNameOf(approval) ?? 'the agent');

/** On whose behalf: `run #184`, `a person who tries it`. */
export const askedBy = (run: number | undefined): Safe =>
	run === undefined ? literal('a person who tries it') : safe`run #${run}`;

/** `denies in 4:31`; for a form, when it is cancelled. */
export const deadlineText = (approval: Approval, now: number): Safe =>
	safe`${approval.kind === 'form' ? literal('cancels') : literal('denies')} in ${duration(approval.deadline - now)}`;

/** `! github-tools wants create_issue · denies in 4:31` */
export const wantsText = (approval: Approval, now: number): Safe =>
	safe`! ${askingServer(approval)} wants ${askedFor(approval)} · ${deadlineText(approval, now)}`;

/** The outcome of a request, with its sign. */
export const outcomeWords: Readonly<
	Record<ApprovalOutcome, {readonly text: Safe; readonly tone: Tone}>
> = {
	allowed: {text: literal('✓ allowed'), tone: 'good'},
	denied: {text: literal('✗ denied'), tone: 'bad'},
	timeout: {text: literal('✗ timeout'), tone: 'warn'},
	cancelled: {text: literal('- cancelled'), tone: 'quiet'},
	shutdown: {text: literal('- shutdown'), tone: 'quiet'},
	void: {text: literal('- void'), tone: 'quiet'},
	full: {text: literal('✗ full'), tone: 'bad'},
};

/** The outcome as a sentence. */
export const outcomeSentences: Readonly<Record<ApprovalOutcome, Safe>> = {
	allowed: literal('it was allowed'),
	denied: literal('it was denied'),
	timeout: literal('nobody answered in time'),
	cancelled: literal('the run was cancelled'),
	shutdown: literal('the gateway stops'),
	void: literal('what asked for it is gone'),
	full: literal('too many were waiting'),
};

/** The outcome as a sentence, with the reason given by a person or the gateway; a `reason` for the agent begins with a code. */
export function decisionSentence({outcome, reason = ''}: ApprovalDecision): Safe {
	const said = reason.replace(/^approval_\w+(?:: )?/, '');
	if (said === '') {
		return outcomeSentences[outcome];
	}

	return outcome === 'denied'
		? safe`${outcomeSentences[outcome]}: ${escapeLine(said)}`
		: escapeLine(said);
}

/** The unverified claims of a server about a tool. */
export function claimTexts({readOnly, destructive, idempotent, openWorld}: ToolClaims): Safe {
	const claims = [
		readOnly === true ? literal('read-only') : literal('not read-only'),
		destructive === true
			? literal('destructive')
			: destructive === false
				? literal('not destructive')
				: literal('does not say whether it destroys'),
		...(idempotent === true ? [literal('idempotent')] : []),
		...(openWorld === true ? [literal('reaches the open world')] : []),
	];
	return claims.reduce((text, claim) => safe`${text}, ${claim}`);
}

const shownHash = 12;

/** `sha256:9c1f03ab77de…`. */
export const hashText = (definition: string): Safe =>
	safe`sha256:${escapeLine(definition.slice(0, shownHash))}…`;

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `20 Dec 2026`, local time. */
export function dayText(at: number): Safe {
	const date = new Date(at);
	return escapeLine(`${date.getDate()} ${months[date.getMonth()] ?? ''} ${date.getFullYear()}`);
}

/** How long a rule holds: until a run or a session ends, or until a date. */
export const reachText = ({scope, run, expiresAt, file}: ApprovalRule): Safe => {
	if (file) {
		return safe`while it stands in ${escapeLine(file.place)}`;
	}

	switch (scope) {
		case 'run':
			return run === undefined ? literal('until its run ends') : safe`until run #${run} ends`;
		case 'process':
			return literal('until svc stops');
		case 'always':
			return expiresAt === undefined ? literal('always') : safe`expires ${dayText(expiresAt)}`;
	}
};

/** Enough for twenty names of usual length. */
const maxKeysLength = 8000;

/** Which arguments a rule covers. */
export const ruleArguments = ({args, when}: Pick<ApprovalRule, 'args' | 'when'>): Safe => {
	if (when) {
		return escapeLine(keysText(when));
	}

	if (!args) {
		return literal('any arguments');
	}

	return args.keys === undefined
		? literal('exactly the same arguments')
		: safe`the same ${escapeLine(args.keys.map(quotedName).join(', '), maxKeysLength)}`;
};

/** A rule as it is stored: `allow github-tools/create_issue  any arguments  sha256:9c1f…  expires 20 Dec 2026`. */
export const ruleText = (rule: ApprovalRule): Safe =>
	safe`allow ${toolOfRule(rule)}${ownerText(rule)}  ${ruleArguments(rule)}  ${rule.definition === '' ? literal('no definition yet') : hashText(rule.definition)}  ${reachText(rule)}`;

const toolOfRule = ({server, tool, file}: ApprovalRule): Safe =>
	tool === '' && file
		? escapeLine(file.name)
		: safe`${server === undefined ? literal('') : safe`${escapeLine(server)}/`}${escapeLine(quotedName(tool))}`;

/** Whose runs a rule applies to: `  for job nightly`; empty if to all. */
const ownerText = ({owner}: ApprovalRule): Safe =>
	owner ? safe`  for ${escapeLine(owner.kind)} ${escapeLine(quotedName(owner.name))}` : literal('');

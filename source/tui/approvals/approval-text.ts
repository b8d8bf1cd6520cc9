import type {
	Approval,
	ApprovalDecision,
	ApprovalOutcome,
	ApprovalRule,
	ToolClaims,
} from '../../core/approval.ts';
import {quotedName} from '../../core/quoted-name.ts';
import {cell, type Safe} from '../../core/untrusted.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import {clean} from '../panes/line.ts';
import {duration} from '../panes/time.ts';
import type {Tone} from '../theme/theme.ts';

/** What is asked for: `create_issue`, `a form`. */
export const askedFor = (approval: Approval): Safe =>
	approval.kind === 'tool' ? clean(quotedName(approval.tool.tool)) : own('a form');

/** The server that asks. */
export const askingServer = (approval: Approval): Safe =>
	clean(approval.kind === 'tool' ? approval.tool.server : approval.server);

/** For whom: `run #184`, `a person who tries it`. */
export const askedBy = (run: number | undefined): Safe =>
	run === undefined ? own('a person who tries it') : ui`run #${run}`;

/** `denies in 4:31`; a form is cancelled. */
export const deadlineText = (approval: Approval, now: number): Safe =>
	ui`${approval.kind === 'form' ? own('cancels') : own('denies')} in ${duration(approval.deadline - now)}`;

/** How a request was settled, with its sign. */
export const outcomeWords: Readonly<
	Record<ApprovalOutcome, {readonly text: Safe; readonly tone: Tone}>
> = {
	allowed: {text: own('✓ allowed'), tone: 'good'},
	denied: {text: own('✗ denied'), tone: 'bad'},
	timeout: {text: own('✗ timeout'), tone: 'warn'},
	cancelled: {text: own('- cancelled'), tone: 'quiet'},
	shutdown: {text: own('- shutdown'), tone: 'quiet'},
	void: {text: own('- void'), tone: 'quiet'},
	full: {text: own('✗ full'), tone: 'bad'},
};

/** What became of it, in a sentence. */
export const outcomeSentences: Readonly<Record<ApprovalOutcome, Safe>> = {
	allowed: own('it was allowed'),
	denied: own('it was denied'),
	timeout: own('nobody answered in time'),
	cancelled: own('the run was cancelled'),
	shutdown: own('the gateway stops'),
	void: own('what asked for it is gone'),
	full: own('too many were waiting'),
};

/** The same with what a person or the gateway said besides; `reason` begins with a code where it is for the agent. */
export function decisionSentence({outcome, reason = ''}: ApprovalDecision): Safe {
	const said = reason.replace(/^approval_\w+(?:: )?/, '');
	if (said === '') {
		return outcomeSentences[outcome];
	}

	return outcome === 'denied' ? ui`${outcomeSentences[outcome]}: ${clean(said)}` : clean(said);
}

/** What the server says of a tool, as claims: nobody has verified them. */
export function claimTexts({readOnly, destructive, idempotent, openWorld}: ToolClaims): Safe {
	const claims = [
		readOnly === true ? own('read-only') : own('not read-only'),
		destructive === true
			? own('destructive')
			: destructive === false
				? own('not destructive')
				: own('does not say whether it destroys'),
		...(idempotent === true ? [own('idempotent')] : []),
		...(openWorld === true ? [own('reaches the open world')] : []),
	];
	return claims.reduce((text, claim) => ui`${text}, ${claim}`);
}

const shownHash = 12;

/** `sha256:9c1f03ab77de…`. */
export const hashText = (definition: string): Safe =>
	ui`sha256:${clean(definition.slice(0, shownHash))}…`;

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `20 Dec 2026`, local time. */
export function dayText(at: number): Safe {
	const date = new Date(at);
	return clean(`${date.getDate()} ${months[date.getMonth()] ?? ''} ${date.getFullYear()}`);
}

/** How far a rule reaches. */
export const reachText = ({scope, run, expiresAt}: ApprovalRule): Safe => {
	switch (scope) {
		case 'run':
			return run === undefined ? own('until its run ends') : ui`until run #${run} ends`;
		case 'process':
			return own('until svc stops');
		case 'always':
			return expiresAt === undefined ? own('always') : ui`expires ${dayText(expiresAt)}`;
	}
};

/** Twenty names of a rule are shown whole, unless somebody made them to be long. */
const longestKeys = 8000;

/** Which arguments a rule covers. */
export const ruleArguments = ({args}: Pick<ApprovalRule, 'args'>): Safe => {
	if (!args) {
		return own('any arguments');
	}

	return args.keys === undefined
		? own('exactly the same arguments')
		: ui`the same ${cell(args.keys.map(quotedName).join(', '), longestKeys).text}`;
};

/** A rule as it is stored: `allow github-tools/create_issue  any arguments  sha256:9c1f…  expires 20 Dec 2026`. */
export const ruleText = (rule: ApprovalRule): Safe =>
	ui`allow ${clean(rule.server)}/${clean(quotedName(rule.tool))}  ${ruleArguments(rule)}  ${hashText(rule.definition)}  ${reachText(rule)}`;

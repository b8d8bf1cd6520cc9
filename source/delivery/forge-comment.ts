import type {Clock} from '../core/clock.ts';
import {type GroupExit, runInGroup} from '../core/process-group.ts';
import {DeliveryError, type DeliveryErrorCode} from './delivery-error.ts';
import type {ForgeTarget} from './forge-target.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';
import {outgoingText} from './outgoing-text.ts';

/** What code hosts accept as one comment, in characters. */
const longestComment = 65_536;

const timeoutMs = 30_000;

/** From SIGTERM to SIGKILL. */
const termGraceMs = 2000;

/** What is kept of what the client says. */
const output = {limitBytes: 64 * 1024, above: 'keep-start'} as const;

export type ForgeComment = {
	readonly target: ForgeTarget;
	readonly text: string;
	/** The client: a program's name or path. @see Decisions 3, `forge.cli` */
	readonly cli: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	readonly killed: AbortSignal;
};

/**
 * Posts a comment with the code host's client, within 30 s. `issue comment` is the general way: it takes the number of an issue or of a pull
 * request, while `pr comment` refuses issues. The text goes through stdin.
 *
 * @throws DeliveryError `forge_*`, `delivery_timeout`, `delivery_aborted`
 * @see Interface 2.9, 4.3
 */
export async function postForgeComment(
	comment: ForgeComment,
	{clock, clean}: {readonly clock: Clock; readonly clean: (text: string) => string},
): Promise<string> {
	const {target, text, cli, environment, signal, killed} = comment;
	const exit = await runInGroup(
		{
			command: cli,
			args: ['issue', 'comment', String(target.number), '--repo', target.repo, '--body-file', '-'],
			env: environment,
			// Nothing near the gateway may influence the client, and a folder that is gone must not look like a client that is gone.
			cwd: '/',
			input: neutraliseMentions(outgoingText(text, longestComment)),
			stdout: output,
			stderr: output,
			timeoutMs,
			termGraceMs,
			signal,
			killed,
		},
		{clock},
	);
	const place = `${target.repo}#${target.number}`;
	if (exit.kind === 'exited' && exit.code === 0) {
		return `comment on ${place}`;
	}

	const {code, reason} = failureOf(exit, cli);
	throw new DeliveryError(code, `Cannot comment on "${place}": ${clean(reason)}`);
}

type Failure = {readonly code: DeliveryErrorCode; readonly reason: string};

function failureOf(exit: GroupExit, cli: string): Failure {
	switch (exit.kind) {
		case 'timeout':
			return {
				code: 'delivery_timeout',
				reason: `"${cli}" was not done within ${timeoutMs / 1000} s and was ended; it may have commented`,
			};
		case 'aborted':
		case 'too-much-output':
			return {code: 'delivery_aborted', reason: `"${cli}" was ended; it may have commented`};
		case 'not-started':
			return exit.code === 'ENOENT'
				? {
						code: 'forge_client_missing',
						reason: `"${cli}" is not installed; install it or set forge.cli`,
					}
				: {code: 'forge_client_unusable', reason: `"${cli}" cannot be run (${exit.code})`};
		case 'exited':
			return failureOfExit(exit, cli);
	}
}

/** What clients say, most telling first. */
const complaints: ReadonlyArray<readonly [RegExp, DeliveryErrorCode]> = [
	[/rate limit|abuse detection|HTTP 429/i, 'forge_rate_limited'],
	[/HTTP 401|bad credentials|auth login|not logged in/i, 'forge_not_authenticated'],
	[/could not resolve to an?|HTTP 404|not found/i, 'forge_target_not_found'],
	[/HTTP 403|forbidden|not accessible|permission|SAML/i, 'forge_forbidden'],
	[/HTTP 422|HTTP 410|locked|too long|unknown (?:flag|command)/i, 'forge_rejected'],
];

/** `gh` documents 4 as "requires authentication" and 1 as any other failure. */
const authenticationExit = 4;

function failureOfExit(
	{code, stdout, stderr}: GroupExit & {readonly kind: 'exited'},
	cli: string,
): Failure {
	const said = (stderr.trim() || stdout.trim()).slice(0, 2000);
	if (code === authenticationExit) {
		return {
			code: 'forge_not_authenticated',
			reason: `"${cli}" is not logged in; run "${cli} auth login" on this machine or set GH_TOKEN`,
		};
	}

	const [, complaint = 'forge_failed'] = complaints.find(([pattern]) => pattern.test(said)) ?? [];
	const how = code === null ? 'was ended by a signal' : `failed (exit ${code})`;
	return {code: complaint, reason: said === '' ? `"${cli}" ${how}` : `"${cli}" ${how}: ${said}`};
}

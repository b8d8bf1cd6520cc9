import type {Clock} from '../core/clock.ts';
import {type GroupExit, runInGroup} from '../core/process-group.ts';
import {DeliveryError} from './delivery-error.ts';
import {type ForgeFailure, forgeFailureOf} from './forge-failure.ts';
import type {ForgeTarget} from './forge-target.ts';
import {neutraliseMentions} from './neutralise-mentions.ts';
import {outgoingText} from './outgoing-text.ts';

/** What code hosts accept as one comment, in characters. */
const longestComment = 65_536;

const timeoutMs = 30_000;

/** From SIGTERM to SIGKILL. */
const termGraceMs = 2000;

/** What is read of what the client says: it may have commented, so that it is ended only when it will not end by itself. */
const output = {limitBytes: 16 * 1024 * 1024, above: 'stop'} as const;

export type ForgeComment = {
	readonly target: ForgeTarget;
	readonly text: string;
	/** The client: a program's name or path. @see manual/delivery.md#forge-comments */
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
 * @see manual/delivery.md, manual/commands.md
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

function failureOf(exit: GroupExit, cli: string): ForgeFailure {
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
		case 'exited':
			return forgeFailureOf(exit, cli);
	}
}

import {basename} from 'node:path';
import {SvcError} from '../../core/errors.ts';
import type {ReplayChanges} from '../../core/replay.ts';
import {cell} from '../../core/untrusted.ts';
import {confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {deliveryNotFound} from './delivery-not-found.ts';
import {editBody, editorOf} from './edit-body.ts';

/** Flags of `svc deliveries replay`. */
export type ReplayFlags = {
	/** Another route. */
	readonly to?: string;
	readonly edit?: boolean;
	readonly bodyFile?: string;
	readonly dryRun?: boolean;
	readonly yes?: boolean;
	readonly json?: boolean;
};

/** What the control API takes in one call. */
const maxBodyBytes = 7 * 1024 * 1024;

/**
 * Sends a stored delivery through the pipeline again, perhaps with another body or to another route. Says first what that will do; what reaches others is
 * confirmed.
 *
 * @throws SvcError
 */
export async function replayDelivery(
	context: Context,
	id: string,
	{to, edit, bodyFile, dryRun, yes, json}: ReplayFlags,
): Promise<void> {
	if (edit) {
		requireScreen(context);
	}

	const gateway = await requireGateway(context);
	const stored = await gateway.getDelivery(id);
	if (!stored) {
		throw deliveryNotFound(id);
	}

	const body = edit
		? await editBody(context, stored)
		: bodyFile === undefined
			? undefined
			: await readInput(context, bodyFile, {maxBytes: maxBodyBytes});
	const options: ReplayChanges = {
		...(body !== undefined && {body}),
		...(to !== undefined && {route: to}),
	};
	const plan = await gateway.planReplay(stored.id, options);
	const intention = `Replay of ${stored.id} to "${plan.route}"${body === undefined ? '' : ' with another body'}: ${plan.effects.join('; ')}`;
	if (dryRun) {
		if (json) {
			printJson(context, {plan});
		} else {
			printLines(context, [intention]);
		}

		return;
	}

	tell(context, intention);
	if (plan.needsConfirmation && !(await confirm(context, {question: 'Do this?', yes}))) {
		return;
	}

	const answer = await gateway.replay(stored.id, options);
	if (json) {
		printJson(context, {plan, ...answer});
	} else {
		printLines(context, [`${answer.status} ${answer.body}`]);
	}

	context.exit(answer.status < 400 ? 0 : 1);
}

/** Editors that draw on a terminal, and wait for ever where there is none. */
const screenEditors: ReadonlySet<string> = new Set([
	'vi',
	'vim',
	'view',
	'nvim',
	'nano',
	'pico',
	'emacs',
	'micro',
	'hx',
	'helix',
	'joe',
	'mcedit',
]);

/** Another program than such an editor may do without a terminal. @throws SvcError `confirmation_needed` */
function requireScreen({environment, stdin, stdout}: Context): void {
	const [program = ''] = editorOf(environment).trim().split(/\s+/);
	if (screenEditors.has(basename(program)) && !(stdin.isTTY && stdout.isTTY)) {
		throw new SvcError(
			'confirmation_needed',
			`Not replayed: there is no terminal on which "${cell(program, 100).text}" could ask for another body; use --body-file`,
		);
	}
}

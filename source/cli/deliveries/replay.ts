import {basename, join} from 'node:path';
import {writePrivateFile} from '../../config/text-files.ts';
import type {StoredDelivery, ReplayChanges} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {editableBody, editedBody} from '../../nouns/delivery/edited-body.ts';
import {confirm} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {editInEditor, editorOf} from '../console/edit-in-editor.ts';
import {tell, printResult} from '../console/print.ts';
import {readInput} from '../console/read-input.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {requireDelivery} from './require-delivery.ts';

/** The flags of `svc deliveries replay`. */
export type ReplayFlags = {
	/** Another route. */
	readonly to?: string;
	readonly edit?: boolean;
	readonly bodyFile?: string;
	readonly dryRun?: boolean;
	readonly yes?: boolean;
	readonly json?: boolean;
};

/** The limit of one call of the control API. */
const maxBodyBytes = 7 * 1024 * 1024;

/**
 * Sends a stored delivery through the pipeline again, optionally with another body or to another route. Says first what that will do, and asks for confirmation if
 * it affects others.
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
	const stored = await requireDelivery(gateway, id);

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
		printResult(context, {json, value: {plan}, lines: [intention]});
		return;
	}

	tell(context, intention);
	const asking = {question: 'Do this?', leaves: 'Not sent again', yes};
	if (plan.needsConfirmation && !(await confirm(context, asking))) {
		return;
	}

	const answer = await gateway.replay(stored.id, options);
	const lines = [`${answer.status} ${answer.body}`];
	printResult(context, {json, value: {plan, ...answer}, lines});

	context.exit(answer.status < 400 ? 0 : 1);
}

/**
 * Lets the person edit the body of `stored` in `$VISUAL` or `$EDITOR`. JSON is indented. The result must match the sender's content type.
 *
 * @throws SvcError `edit_aborted` when it was left as it was, or empty; `edit_invalid`, whose message names the file that keeps the text;
 * `body_not_kept`, `program_not_started`, `program_failed`, `file_too_large`, `file_unreadable`, `interrupted`
 */
async function editBody(context: Context, stored: StoredDelivery): Promise<string> {
	if (!stored.body) {
		throw new SvcError(
			'body_not_kept',
			`Cannot edit delivery "${stored.id}": its body was not kept`,
		);
	}

	const {kept, ...document} = editableBody(stored);
	const edited = editedBody(await editInEditor(context, document, 'Not replayed'), stored);
	switch (edited.kind) {
		case 'body':
			return edited.body;

		case 'nothing':
			throw new SvcError('edit_aborted', `Not replayed: the text was left ${edited.left}`);

		case 'mistake': {
			const file = join(context.paths().cache, kept);
			await writePrivateFile(file, `${edited.body}\n`);
			// The engine's message quotes the text, here to the person who wrote it.
			throw new SvcError(
				'edit_invalid',
				`Not replayed: Malformed JSON body (${escapeLine(edited.why, 200)}); your text is in "${file}", mend it and use --body-file`,
			);
		}
	}
}

/** Editors that draw on a terminal, and would wait forever without one. */
const screenEditors: ReadonlySet<string> = new Set(
	'vi vim view nvim nano pico emacs micro hx helix joe mcedit'.split(' '),
);

/** Requires a terminal for such an editor; other programs may work without. @throws SvcError `confirmation_needed` */
function requireScreen({environment, stdin, stdout}: Context): void {
	const [program = ''] = editorOf(environment).trim().split(/\s+/);
	if (screenEditors.has(basename(program)) && !(stdin.isTTY && stdout.isTTY)) {
		throw new SvcError(
			'confirmation_needed',
			`Not replayed: there is no terminal on which "${escapeLine(program, 100)}" could ask for another body; use --body-file`,
		);
	}
}

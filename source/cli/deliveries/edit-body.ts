import {join} from 'node:path';
import {writePrivateFile} from '../../config/write-private-file.ts';
import type {StoredDelivery} from '../../core/delivery.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {prettyJson} from '../../core/exact-json.ts';
import {cell} from '../../core/untrusted.ts';
import {parseBody} from '../../webhook/parse-body.ts';
import type {Context} from '../console/context.ts';
import {whenAskedToStop} from '../console/signals.ts';

/** The command line of the person's editor. */
export const editorOf = (environment: Context['environment']): string =>
	environment['VISUAL'] || environment['EDITOR'] || 'vi';

/**
 * What the person made of the body of `stored` in `$VISUAL` or `$EDITOR`. JSON is shown indented. What was saved must be what the sender's content type says.
 *
 * @throws SvcError `edit_aborted` when it was left as it was, or empty; `edit_invalid`, whose message names the file that keeps the text;
 * `body_not_kept`, `program_not_started`, `program_failed`, `file_too_large`, `file_unreadable`, `interrupted`
 */
export async function editBody(context: Context, stored: StoredDelivery): Promise<string> {
	const {id, body, headers} = stored;
	if (!body) {
		throw new SvcError('body_not_kept', `Cannot edit delivery "${id}": its body was not kept`);
	}

	const {cache} = context.paths();
	const text = Buffer.from(body).toString('utf8');
	const pretty = prettyJson(text);
	const edited = await editInEditor(
		context,
		{text: `${pretty ?? text}\n`, suffix: pretty === undefined ? '.txt' : '.json'},
		'Not replayed',
	);
	const saved = edited?.trim() ?? '';
	if (saved === '') {
		throw new SvcError(
			'edit_aborted',
			`Not replayed: the text was left ${edited === undefined ? 'as it was' : 'empty'}`,
		);
	}

	const parsed = parseBody(Buffer.from(saved), headers);
	if (!parsed.ok) {
		const kept = join(cache, `edited-${id}.${pretty === undefined ? 'txt' : 'json'}`);
		await writePrivateFile(kept, `${saved}\n`);
		throw new SvcError(
			'edit_invalid',
			`Not replayed: ${parsed.error}${pretty === undefined ? '' : mistakeIn(saved)}; your text is in "${kept}", mend it and use --body-file`,
		);
	}

	return saved;
}

/**
 * A text in `$VISUAL` or `$EDITOR`, which has the terminal meanwhile; `undefined` when it was left as it was. `failed`: how messages begin.
 *
 * @throws SvcError `program_not_started`, `program_failed`, `file_too_large`, `file_unreadable`, `interrupted`
 */
export async function editInEditor(
	context: Context,
	document: {readonly text: string; readonly suffix: string},
	failed: string,
): Promise<string | undefined> {
	const {environment} = context;
	const [{editText}, {holdInterrupts}] = await Promise.all([
		import('../../terminal/suspend.ts'),
		import('../../terminal/signals.ts'),
	]);
	// Else the file that was lent would stay. A Ctrl-C is the editor's while it is open.
	using stop = whenAskedToStop(context);
	const stopped = new AbortController();
	void stop.asked.then(() => {
		stopped.abort(new SvcError('interrupted', `${failed}: the editor was ended`));
		return undefined;
	});
	return await editText(
		{
			// There is no screen to leave.
			suspend: async task => task(),
			modes: {release() {}, reclaim() {}},
			holdInterrupts: () => holdInterrupts(process),
			directory: join(context.paths().cache, 'open'),
			environment,
			signal: stopped.signal,
		},
		editorOf(environment),
		document,
	);
}

/** ` (Unexpected token …)`: what the engine says of a text that is no JSON. It quotes it: to the person who wrote it. */
function mistakeIn(text: string): string {
	try {
		JSON.parse(text);
		return '';
	} catch (error) {
		return ` (${cell(messageOf(error), 200).text})`;
	}
}

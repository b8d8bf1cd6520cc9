import {join} from 'node:path';
import {SvcError} from '../../core/errors.ts';
import type {Context} from './context.ts';
import {whenAskedToStop} from './signals.ts';

/** The command line of the person's editor. */
export const editorOf = (environment: Context['environment']): string =>
	environment['VISUAL'] || environment['EDITOR'] || 'vi';

/**
 * Edits a text in `$VISUAL` or `$EDITOR`, which uses the terminal meanwhile; `undefined` if it was left unchanged. `failed`: the beginning of error messages.
 *
 * @throws SvcError `program_not_started`, `program_failed`, `file_too_large`, `file_unreadable`, `interrupted`
 */
export async function editInEditor(
	context: Context,
	document: {readonly text: string; readonly suffix: string},
	failed: string,
): Promise<string | undefined> {
	const {environment} = context;
	const {editText} = await import('../../terminal/suspend.ts');
	const {holdInterrupts} = await import('../../terminal/job-control.ts');
	// Otherwise the temporary file would remain. While the editor is open, Ctrl-C is the editor's.
	using stop = whenAskedToStop(context);
	const stopped = new AbortController();
	void stop.asked.then(() => {
		stopped.abort(new SvcError('interrupted', `${failed}: the editor was ended`));
		return undefined;
	});
	return await editText(
		{
			// There is no screen to suspend.
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

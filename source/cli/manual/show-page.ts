import {spawnSync} from 'node:child_process';
import {variable} from '../../config/environment.ts';
import {codeOf} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import {splitCommand} from '../../core/shell-words.ts';
import {layOutMarkdown} from '../../terminal/text/markdown.ts';
import {askLine} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printLines} from '../console/print.ts';
import type {ManualPage} from './read-page.ts';

const maxPageWidth = 100;

/**
 * Prints a page. On a terminal: through `$PAGER` (default `less`, if installed), laid out for its width; at the prompt of `svc --linear`: one screenful at a time;
 * elsewhere: as written.
 */
export async function showPage(context: Context, {text}: Pick<ManualPage, 'text'>): Promise<void> {
	const {stdout} = context;
	if (!stdout.isTTY) {
		printLines(context, withoutComments(text).trimEnd().split('\n'));
		return;
	}

	const width = Math.min(stdout.columns || maxPageWidth, maxPageWidth);
	const rows = layOutMarkdown(text, width).map(row => row.text);
	if (context.appendsOnly === true) {
		await readOn(context, rows);
	} else if (rows.length < stdout.rows || !paged(context, rows)) {
		printLines(context, rows);
	}
}

async function readOn(context: Context, rows: readonly string[]): Promise<void> {
	// Some terminals report 0 rows. Leaves a line for the question.
	const page = Math.max(5, (context.stdout.rows || 24) - 2);
	for (let from = 0; from < rows.length; from += page) {
		printLines(context, rows.slice(from, from + page));
		const rest = rows.length - from - page;
		if (rest > 0) {
			// oxlint-disable-next-line no-await-in-loop -- one page after the other
			const {text, interrupted, ended} = await askLine(
				context,
				`${countOf(rest, 'more line')}: Enter reads on, q leaves `,
			);
			if (interrupted || ended || text !== '') {
				return;
			}
		}
	}
}

/** Removes the markers of generated tables. */
const withoutComments = (text: string): string => text.replaceAll(/^<!--.*-->\n\n?/gm, '');

/** Whether a pager showed the rows successfully. */
function paged({environment}: Context, rows: readonly string[]): boolean {
	const [command, ...args] = splitCommand(variable(environment, 'PAGER') ?? 'less');
	if (command === undefined) {
		return false;
	}

	const {error, status} = spawnSync(command, args, {
		input: `${rows.join('\n')}\n`,
		stdio: ['pipe', 'inherit', 'inherit'],
	});
	// A pager that is quit early closes its input, which is not a failure.
	return status === 0 && (error === undefined || codeOf(error) === 'EPIPE');
}

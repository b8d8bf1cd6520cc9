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
 * Prints a page: to a terminal through `$PAGER` (default `less`, if there is one), laid out for its width; at the prompt of `svc --linear` as many lines at a time as the terminal has; elsewhere
 * as it is written.
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
	// Some terminals say 0. A line stays for the question.
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

/** Marks of the tables that the program's own lists fill. */
const withoutComments = (text: string): string => text.replaceAll(/^<!--.*-->\n\n?/gm, '');

/** Whether a pager showed the rows to the end. */
function paged({environment}: Context, rows: readonly string[]): boolean {
	const [command, ...args] = splitCommand(variable(environment, 'PAGER') ?? 'less');
	if (command === undefined) {
		return false;
	}

	const {error, status} = spawnSync(command, args, {
		input: `${rows.join('\n')}\n`,
		stdio: ['pipe', 'inherit', 'inherit'],
	});
	// A pager that is left early closes its input: that is no failure.
	return status === 0 && (error === undefined || codeOf(error) === 'EPIPE');
}

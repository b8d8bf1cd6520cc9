import {writtenServers} from '../../config/edit-servers.ts';
import {reviewInstall} from '../../config/install-link/review-install.ts';
import {SvcError} from '../../core/errors.ts';
import {installEntry, installSummary, type InstallReview} from '../../core/install.ts';
import {asWord} from '../../core/shell-words.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {canAsk, confirm, isYes} from '../console/ask-line.ts';
import {askWhole} from '../console/ask-whole.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell, printResult} from '../console/print.ts';
import {nextSteps, writeServer} from './add-server.ts';

const blank = {text: ''};

/** The flags of `svc mcp install`. */
export type InstallOptions = {
	readonly name?: string;
	readonly trust?: 'full' | 'untrusted';
	readonly dryRun?: boolean;
	readonly yes?: boolean;
	readonly json?: boolean;
};

/**
 * Shows everything that an install link requests, and adds the tool server to `config.yaml` once the person agrees: on a terminal after the last page, for a
 * program by typing its name. A running gateway connects to it.
 *
 * @throws SvcError as `reviewInstall` and `setToolServer` do; `server_exists`; `confirmation_needed` without a terminal and without `yes`
 * @see manual/install-link.md
 */
export async function installServer(
	context: Context,
	link: string,
	{name: chosen, trust, dryRun = false, yes = false, json = false}: InstallOptions,
): Promise<void> {
	const review = reviewInstall(link, {name: chosen, trust}, writtenServers(context.paths()));
	const {name, entry, exists} = review;
	// Warnings are next to the question, because a long entry scrolls away.
	const lines = [...installEntry(review), blank, ...installSummary(review), blank];
	const isAskedWhole = !(dryRun || yes || exists) && canAsk(context);
	if (!isAskedWhole && (!json || !(dryRun || yes))) {
		for (const {text} of lines) {
			// The question goes to stderr, whatever stdout is.
			if (dryRun) {
				printLines(context, [text]);
			} else {
				tell(context, text);
			}
		}
	}

	if (json && dryRun) {
		printJson(context, {...review, installed: false});
	}

	if (exists) {
		throw new SvcError(
			'server_exists',
			`Cannot install tool server "${name}": there is one of that name, which is never overwritten; choose another one with --name${review.freeName === undefined ? '' : `, as in --name ${asWord(review.freeName)}`}`,
		);
	}

	if (dryRun) {
		if (!json) {
			tell(context, 'Nothing was installed: --dry-run');
		}

		return;
	}

	const agreed = isAskedWhole
		? await readAndAsk(context, review, lines)
		: await confirm(context, {question: questionFor(review), leaves: 'Not installed', yes});
	if (!agreed) {
		return;
	}

	await writeServer(context, {name, entry});
	const notes = [
		`A gateway that runs connects to it now; away with it: svc mcp remove ${asWord(name)}`,
	];
	const done = [`Installed ${name}`, ...nextSteps(name, entry)];
	printResult(context, {json, value: {...review, installed: true}, lines: done, notes});
}

/** Whether the person agrees after reading everything: for a program by typing its name, for a remote server by a yes. A no is reported. */
async function readAndAsk(
	context: Context,
	review: InstallReview,
	lines: ReadonlyArray<{readonly text: string}>,
): Promise<boolean> {
	const {kind, name} = review;
	const isProgram = kind === 'program';
	const {agreed, text, interrupted} = await askWhole(context, {
		lines: lines.map(line => line.text),
		question: isProgram
			? `${questionFor(review)}\nType its name to install it: `
			: `${questionFor(review)} [y/N] `,
		isYes: isProgram ? typed => typed === name : isYes,
	});
	if (!agreed) {
		tell(
			context,
			isProgram && text !== '' ? `Not installed: its name is ${name}` : 'Not installed',
		);
		context.exit(interrupted ? 130 : 1);
	}

	return agreed;
}

const questionFor = ({name, kind, argv, host}: InstallReview): string =>
	kind === 'program'
		? `Install "${name}", and let svc run ${escapeLine(argv?.[0] ?? 'it', 200)} on this machine?`
		: `Install "${name}", and let svc connect to ${host ?? 'it'}?`;

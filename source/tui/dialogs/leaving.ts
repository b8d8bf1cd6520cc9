import {compact, countOf} from '../../core/names.ts';
import type {StopConsequences} from '../../gateway/port.ts';
import {waitingLogins} from '../../nouns/login/login-entry.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys, type ListedCommand} from '../acts/command.ts';
import {closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {blankLine, line, type Line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {keyHint, titled, widestText} from './box.ts';

export const quit = dialogState<{readonly consequences?: StopConsequences}>('quit');

/** Opens the dialog that says what leaving would end. */
function askToQuit(shell: Shell): void {
	quit.open(shell, {}, {field: undefined});
	shell.attempt(async () => {
		const consequences = await shell.port.stopConsequences();
		quit.change(shell, () => ({consequences}));
	});
}

const inDemo = {
	why: literal('a demo ends with its screen, and nothing of it stays; q leaves'),
	help: 'This is a demo: it ends with its screen, and nothing of it stays.',
};

const withoutLauncher = {
	why: literal('started without its launcher: close this terminal, the gateway goes on'),
	help: 'To keep it running, close this terminal instead: the gateway then goes on in the background.',
};

/** Why the gateway of this process cannot keep running while the shell gets its prompt back; `undefined` if it can, or if the face is only attached. */
function whyStuck({port, desktop}: Shell): typeof inDemo | undefined {
	if (!port.embedded || (desktop.givesPromptBack && !desktop.endsWithFace)) {
		return undefined;
	}

	return desktop.endsWithFace ? inDemo : withoutLauncher;
}

/** The two commands that leave the interface. */
export const leavingCommands: readonly ListedCommand[] = [
	onKeys(['quit', 'q', 'ctrl+c'], literal('quit'), {aliases: ['/quit', '/exit'], run: askToQuit}),
	onKeys(['let-go', 'B'], literal('leave; the gateway goes on in the background'), {
		quiet: true,
		aliases: ['/background', '/detach'],
		why: shell => whyStuck(shell)?.why,
		run: shell => shell.desktop.letGo(),
	}),
	onKeys(['suspend', 'ctrl+z'], literal('why svc does not stop here'), {
		quiet: true,
		run: shell =>
			shell.toast(
				whyStuck(shell)
					? literal('svc would stop answering webhooks – use tmux or another terminal')
					: literal('svc would stop answering webhooks – B leaves, and the gateway goes on'),
				'warn',
			),
	}),
];

/** What leaving would end and what continues, beginning with unsaved input. */
function quitFacts(shell: Shell, consequences: StopConsequences | undefined): readonly string[] {
	const {port, panes, logins, feed} = shell;
	const waiting = waitingLogins(logins.attempts());
	return compact([
		...panes.map(pane => pane.unsaved?.(shell)),
		...(port.embedded ? endingFacts(consequences) : [attachedFact(feed.get().state.gateway.pid)]),
		waiting.length > 0 && loginFact(waiting),
	]);
}

/** Lists the consequences of leaving, from what runs now. */
function quitLines(
	shell: Shell,
	consequences: StopConsequences | undefined,
	width: number,
): readonly Line[] {
	const {help} = whyStuck(shell) ?? {};
	return [
		blankLine,
		...quitFacts(shell, consequences).flatMap(fact => told(fact, width + 2)),
		blankLine,
		[
			...keyHint(literal('  q'), literal('again to quit, ')),
			...(shell.port.embedded && help === undefined
				? keyHint(literal('b'), literal('leave it running in the background, '))
				: []),
			...keyHint(literal('Esc'), literal('stay')),
		],
		...(help === undefined ? [] : [blankLine, ...told(help, width + 2, 'quiet')]),
	];
}

const attachedFact = (pid: number): string =>
	`Only this screen closes. The gateway goes on in process ${pid}; \`svc gateway stop\` ends it.`;

const loginFact = (servers: readonly string[]): string =>
	`${countOf(servers.length, 'login')} under way ${servers.length === 1 ? 'ends' : 'end'} unfinished (${servers.join(', ')}); what was stored before stays.`;

function endingFacts(consequences: StopConsequences | undefined): readonly string[] {
	const stops = 'svc stops answering webhooks.';
	if (!consequences) {
		return [stops, 'Looking what is going on …'];
	}

	const {activeRuns, queuedRuns, pendingGroups} = consequences;
	return compact([
		stops,
		pendingGroups > 0 &&
			`${countOf(pendingGroups, 'pending group')} will be dispatched now (${countOf(pendingGroups, 'run')} ${pendingGroups === 1 ? 'starts' : 'start'}).`,
		activeRuns > 0 &&
			`${countOf(activeRuns, 'agent run')} under way: given a few seconds to end; what does not is taken up at the next start, or marked interrupted.`,
		queuedRuns > 0 && `${countOf(queuedRuns, 'queued run')}: kept, started by the next svc.`,
		activeRuns + queuedRuns + pendingGroups === 0 && 'Nothing is under way, nothing is lost.',
	]);
}

export const quitDialog = defineDialog(quit, {
	title: 'Leaving',
	whenTooSmall: line(literal('q again to quit, Esc stay')),
	contents: ({consequences}, shell, room) => ({
		title: titled(literal('Quit?')),
		rows: quitLines(shell, consequences, Math.min(room.width, widestText)),
	}),
	commands: [
		onKeys(['quit.leave', 'q', 'ctrl+c'], literal('quit'), {run: shell => shell.desktop.leave()}),
		onKeys(['quit.let-go', 'b'], literal('leave the gateway running in the background'), {
			when: shell => shell.port.embedded && !whyStuck(shell),
			run: shell => shell.desktop.letGo(),
		}),
		closing('quit', ['esc', 'n'], literal('stay')),
	],
});

import {messageOf} from '../../core/errors.ts';
import {countOf} from '../../core/names.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {StopConsequences} from '../../gateway/port.ts';
import {waitingLogins} from '../../nouns/login/login-entry.ts';
import {literal} from '../../terminal/text/safe.ts';
import {onKeys, type ListedCommand} from '../acts/command.ts';
import {closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {blankLine, line, type Line, told} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {titled, widestText} from './box.ts';
import {keyOffer} from './key.ts';

export const quit = dialogState<{readonly consequences?: StopConsequences}>('quit');

/** Opens the dialog that says what leaving would end. */
export function askToQuit(shell: Shell): void {
	quit.open(shell, {}, {field: undefined});
	void (async () => {
		try {
			const consequences = await shell.port.stopConsequences();
			quit.change(shell, () => ({consequences}));
		} catch (error) {
			shell.toast(escapeLine(messageOf(error)), 'bad');
		}
	})();
}

/** Whether a gateway of this process can go on while the shell gets its prompt back; an attached face leaves nothing behind. */
export const canLetGo = ({port, desktop}: Shell): boolean =>
	!port.embedded || (desktop.givesPromptBack && !desktop.endsWithFace);

const whyNotLetGo = (shell: Shell): Safe | undefined => {
	if (canLetGo(shell)) {
		return undefined;
	}

	return shell.desktop.endsWithFace
		? literal('a demo ends with its screen, and nothing of it stays; q leaves')
		: literal('started without its launcher: close this terminal, the gateway goes on');
};

/** What a person may want to know who cannot leave the gateway of this process running. */
export function howToKeep(shell: Shell): string | undefined {
	if (canLetGo(shell)) {
		return undefined;
	}

	return shell.desktop.endsWithFace
		? 'This is a demo: it ends with its screen, and nothing of it stays.'
		: 'To keep it running, close this terminal instead: the gateway then goes on in the background.';
}

/** The two ways out of the interface. */
export const leavingCommands: readonly ListedCommand[] = [
	onKeys(['quit', 'q', 'ctrl+c'], literal('quit'), {aliases: ['/quit', '/exit'], run: askToQuit}),
	onKeys(['key.quit', 'q', 'ctrl+c'], literal('quit'), {
		scope: 'key',
		when: keyOffer.isOpen,
		run: askToQuit,
	}),
	onKeys(['let-go', 'B'], literal('leave; the gateway goes on in the background'), {
		quiet: true,
		aliases: ['/background', '/detach'],
		why: whyNotLetGo,
		run: shell => shell.desktop.letGo(),
	}),
	onKeys(['suspend', 'ctrl+z'], literal('why svc does not stop here'), {
		quiet: true,
		run: shell =>
			shell.toast(
				canLetGo(shell)
					? literal('svc would stop answering webhooks – B leaves, and the gateway goes on')
					: literal('svc would stop answering webhooks – use tmux or another terminal'),
				'warn',
			),
	}),
];

type Leaving = {
	readonly embedded: boolean;
	/** How else the gateway of this process goes on, or why it does not, where it cannot when the screen closes. */
	readonly howToKeep: string | undefined;
	readonly pid: number;
	/** Servers whose login waits for the person. */
	readonly logins?: readonly string[];
	/** What is typed in and not saved, a sentence each. */
	readonly unsaved?: readonly string[];
	readonly consequences?: StopConsequences | undefined;
};

/** What leaving would end, and what goes on. */
export const quitFacts = ({
	embedded,
	pid,
	consequences,
	logins = [],
	unsaved = [],
}: Leaving): readonly string[] => [
	...unsaved,
	...(embedded ? endingFacts(consequences) : [attachedFact(pid)]),
	...(logins.length > 0 ? [loginFact(logins)] : []),
];

/** The consequences of leaving, named from what goes on now. */
function quitLines(leaving: Leaving, width: number): readonly Line[] {
	const {embedded, howToKeep: way} = leaving;
	return [
		blankLine,
		...quitFacts(leaving).flatMap(fact => told(fact, width + 2)),
		blankLine,
		[
			{text: literal('  q'), tone: 'accent'},
			{text: literal(' again to quit, ')},
			...(embedded && way === undefined
				? ([
						{text: literal('b'), tone: 'accent'},
						{text: literal(' leave it running in the background, ')},
					] as const)
				: []),
			{text: literal('Esc'), tone: 'accent'},
			{text: literal(' stay')},
		],
		...(way === undefined ? [] : [blankLine, ...told(way, width + 2, 'quiet')]),
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
	return [
		stops,
		...(pendingGroups > 0
			? [
					`${countOf(pendingGroups, 'pending group')} will be dispatched now (${countOf(pendingGroups, 'run')} ${pendingGroups === 1 ? 'starts' : 'start'}).`,
				]
			: []),
		...(activeRuns > 0
			? [
					`${countOf(activeRuns, 'agent run')} under way: given a few seconds to end; what does not is taken up at the next start, or marked interrupted.`,
				]
			: []),
		...(queuedRuns > 0
			? [`${countOf(queuedRuns, 'queued run')}: kept, started by the next svc.`]
			: []),
		...(activeRuns + queuedRuns + pendingGroups === 0
			? ['Nothing is under way, nothing is lost.']
			: []),
	];
}

export const quitDialog = defineDialog(quit, {
	title: 'Leaving',
	whenTooSmall: line(literal('q again to quit, Esc stay')),
	contents: ({consequences}, shell, room) => ({
		title: titled(literal('Quit?')),
		rows: quitLines(
			{
				embedded: shell.port.embedded,
				howToKeep: howToKeep(shell),
				pid: shell.feed.get().state.gateway.pid,
				consequences,
				logins: waitingLogins(shell.logins.attempts()),
				unsaved: shell.panes.flatMap(pane => pane.unsaved?.(shell) ?? []),
			},
			Math.min(room.width, widestText),
		),
	}),
	commands: [
		onKeys(['quit.leave', 'q', 'ctrl+c'], literal('quit'), {run: shell => shell.desktop.leave()}),
		onKeys(['quit.let-go', 'b'], literal('leave the gateway running in the background'), {
			when: shell => shell.port.embedded && canLetGo(shell),
			run: shell => shell.desktop.letGo(),
		}),
		closing('quit', ['esc', 'n'], literal('stay')),
	],
});

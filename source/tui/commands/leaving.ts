import {messageOf} from '../../core/errors.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {Command} from '../acts/command.ts';
import {isOfferingKey} from '../acts/key.ts';
import {change} from '../acts/navigate.ts';
import {closing} from '../acts/overlay-state.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';

/** Opens the dialog that says what leaving would end. */
export function askToQuit(shell: Shell): void {
	change(shell, {overlay: {kind: 'quit'}, field: undefined});
	void (async () => {
		try {
			const consequences = await shell.port.stopConsequences();
			shell.view.set(state =>
				state.overlay?.kind === 'quit' ? {...state, overlay: {kind: 'quit', consequences}} : state,
			);
		} catch (error) {
			shell.toast(clean(messageOf(error)), 'bad');
		}
	})();
}

/** Whether a gateway of this process can go on while the shell gets its prompt back; an attached face leaves nothing behind. */
export const canLetGo = ({port, desktop}: Pick<Shell, 'port' | 'desktop'>): boolean =>
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
export function howToKeep({port, desktop}: Pick<Shell, 'port' | 'desktop'>): string | undefined {
	if (canLetGo({port, desktop})) {
		return undefined;
	}

	return desktop.endsWithFace
		? 'This is a demo: it ends with its screen, and nothing of it stays.'
		: 'To keep it running, close this terminal instead: the gateway then goes on in the background.';
}

/** The two ways out of the interface. */
export const leavingCommands: readonly Command[] = [
	{
		id: 'quit',
		scope: 'global',
		keys: ['q', 'ctrl+c'],
		label: literal('quit'),
		aliases: ['/quit', '/exit'],
		run: askToQuit,
	},
	{
		id: 'key.quit',
		scope: 'key',
		keys: ['q', 'ctrl+c'],
		label: literal('quit'),
		when: isOfferingKey,
		run: askToQuit,
	},
	{
		id: 'let-go',
		scope: 'global',
		keys: ['B'],
		label: literal('leave; the gateway goes on in the background'),
		quiet: true,
		aliases: ['/background', '/detach'],
		why: whyNotLetGo,
		run(shell) {
			shell.desktop.letGo();
		},
	},
	{
		id: 'suspend',
		scope: 'global',
		keys: ['ctrl+z'],
		label: literal('why svc does not stop here'),
		quiet: true,
		run(shell) {
			shell.toast(
				canLetGo(shell)
					? literal('svc would stop answering webhooks – B leaves, and the gateway goes on')
					: literal('svc would stop answering webhooks – use tmux or another terminal'),
				'warn',
			);
		},
	},
];

/** The keys of the dialog. */
export const quitCommands: readonly Command[] = [
	{
		id: 'quit.leave',
		scope: 'quit',
		keys: ['q', 'ctrl+c'],
		label: literal('quit'),
		run(shell) {
			shell.desktop.leave();
		},
	},
	{
		id: 'quit.let-go',
		scope: 'quit',
		keys: ['b'],
		label: literal('leave the gateway running in the background'),
		when: shell => shell.port.embedded && canLetGo(shell),
		run(shell) {
			shell.desktop.letGo();
		},
	},
	closing('quit', ['esc', 'n'], literal('stay')),
];

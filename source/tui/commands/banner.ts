import {escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {inScope, onKeys, type Command} from '../acts/command.ts';
import {confirmation} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';

const isRefused = (shell: Shell) => shell.feed.get().state.webhook.state === 'refused';

/** Asks before a real model is used: that costs money. @see manual/runs.md#bounds */
function askToUseModel(shell: Shell): void {
	const offer = shell.feed.get().state.modelOffer;
	if (!offer) {
		return;
	}

	confirmation.open(shell, {
		title: safe`Use ${escapeLine(offer.provider)}`,
		lines: [
			escapeLine(`${offer.name}: ${offer.origin}`),
			literal('Every run then costs money there. The choice is written to config.yaml.'),
		],
		act: literal('use it'),
		run: () =>
			shell.attempt(async () => {
				await shell.port.useModel(offer.provider);
				shell.toast(safe`${escapeLine(offer.provider)} answers from now on`, 'good');
			}),
	});
}

/** What a banner offers while it is shown. */
export const bannerCommands: readonly Command[] = inScope('banner', [
	onKeys(['receiver.retry', 'r'], literal('retry the receiver'), {
		changes: true,
		when: isRefused,
		run: shell =>
			shell.attempt(async () => {
				await shell.port.restartReceiver();
				shell.toast(literal('The receiver is tried again'));
			}),
	}),
	onKeys(['gateway.start', 'S'], literal('start a gateway'), {
		changes: true,
		when: shell => !shell.feed.get().state.gateway.reachable,
		why: ({desktop}) =>
			desktop.startGateway ? undefined : literal('It cannot be started from here: svc gateway'),
		run(shell) {
			shell.toast(literal('Starting a gateway…'));
			shell.attempt(async () => {
				const said = await shell.desktop.startGateway?.();
				shell.toast(escapeLine(said ?? ''), 'good');
			});
		},
	}),
	onKeys(['model.use', 'M'], literal('use the model that was found (asks)'), {
		changes: true,
		when: shell => shell.feed.get().state.modelOffer !== undefined,
		run: askToUseModel,
	}),
]);

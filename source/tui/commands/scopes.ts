import {messageOf} from '../../core/errors.ts';
import {holdSection, jobsHaveFocus} from '../groups/sections.ts';
import type {KeyEvent} from '../input/key-event.ts';
import type {RouteOptions} from '../input/key-router.ts';
import {clean} from '../panes/line.ts';
import type {Shell} from '../shell/shell.ts';
import {perform, type Scope} from './command.ts';
import {change} from './navigate.ts';
import {commandOf, router} from './table.ts';

/** Who has the keyboard now, innermost first. What lies over the panes keeps every key to itself. */
export function scopesNow(shell: Shell): RouteOptions<Shell> & {readonly scopes: readonly Scope[]} {
	const {overlay, field, pane} = shell.view.get();
	if (overlay) {
		const textFocused =
			overlay.kind === 'palette' || (overlay.kind === 'help' && overlay.isSearching);
		return {scopes: [overlay.kind], textFocused, context: shell};
	}

	const isInJobs = pane === 'groups' && jobsHaveFocus(shell);
	return field
		? {scopes: ['field'], textFocused: true, context: shell}
		: {scopes: ['banner', isInJobs ? 'jobs' : pane, 'global'], textFocused: false, context: shell};
}

/**
 * The one key handler. Returns whether the key was taken; only a text field with the focus gets what was not.
 */
export function handleKey(shell: Shell, key: KeyEvent): boolean {
	const {overlay, pane} = shell.view.get();
	if (pane === 'groups') {
		holdSection(shell);
	}

	if (overlay?.kind === 'menu') {
		const item = overlay.items.find(entry => entry.key === key.id);
		if (item) {
			change(shell, {overlay: undefined});
			item.run();
			return true;
		}
	}

	const options = scopesNow(shell);
	const binding = router.route(key, options);
	const command = binding && commandOf(binding.id);
	if (command) {
		try {
			perform(command, shell);
		} catch (error) {
			// A command that meets what it did not expect must not take the gateway with it.
			shell.toast(clean(messageOf(error)), 'bad');
		}

		return true;
	}

	return !options.textFocused;
}

import {stopAll} from '../../core/clock.ts';
import {versionMismatch} from '../../core/program.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import {openMenu} from '../dialogs/questions.ts';
import type {Shell} from '../shell/shell.ts';

/** Says once for each version that the gateway has, of those that are not ours; what lies over the pane, or is being typed, goes first. Returns the end of that. */
export function announceVersions(shell: Shell): () => void {
	const said = new Set<string>();
	const look = () => {
		const {overlay, field} = shell.view.get();
		const {version} = shell.port.getState().gateway;
		if (shell.port.embedded || overlay || field !== undefined || said.has(version)) {
			return;
		}

		said.add(version);
		const notes = versionMismatch({gateway: version, face: shell.version});
		if (notes) {
			openMenu(shell, {
				title: literal('Two versions'),
				notes: notes.map(note => escapeLine(note)),
				items: [{key: 'g', label: literal('go on'), run() {}}],
			});
		}
	};

	const stop = stopAll([shell.feed.subscribe(look), shell.view.subscribe(look)]);
	look();
	return stop;
}

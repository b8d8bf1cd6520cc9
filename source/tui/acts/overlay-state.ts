import type {Safe} from '../../core/untrusted.ts';
import {literal} from '../../terminal/text/safe.ts';
import type {Shell} from '../shell/shell.ts';
import type {MenuItem, Overlay, ViewState} from '../state/view.ts';
import type {Command} from './command.ts';
import {change} from './navigate.ts';

/** Goes back to the panes. */
export const close = (shell: Shell): void => {
	change(shell, {overlay: undefined});
};

/** Changes the overlay of `kind` when it is the one that is open. */
export function changeOverlay<Kind extends Overlay['kind']>(
	shell: Shell,
	kind: Kind,
	update: (overlay: Extract<Overlay, {kind: Kind}>) => Overlay,
): void {
	shell.view.set((state): ViewState => {
		const {overlay} = state;
		return isKind(overlay, kind) ? {...state, overlay: update(overlay)} : state;
	});
}

/** Whether `overlay` is the one of this kind. */
export const isKind = <Kind extends Overlay['kind']>(
	overlay: Overlay | undefined,
	kind: Kind,
): overlay is Extract<Overlay, {kind: Kind}> => overlay?.kind === kind;

/** What was scrolled past its end stands at its end, where it is shown: the next key back is seen. How much there is only the drawing knows. */
export function settleTop(shell: Shell, shown: Overlay, top: number): void {
	if (shell.view.get().overlay !== shown) {
		return;
	}

	for (const kind of ['help', 'states'] as const) {
		changeOverlay(shell, kind, overlay => (overlay.top > top ? {...overlay, top} : overlay));
	}

	changeOverlay(shell, 'setup', overlay => {
		const {card} = overlay;
		return card.stage.kind === 'diff' && card.stage.top > top
			? {...overlay, card: {...card, stage: {...card.stage, top}}}
			: overlay;
	});
}

/** `index` in a list that goes around. */
export const cycle = (index: number, length: number): number =>
	length === 0 ? 0 : (index + length) % length;

/** The way out of an overlay. */
export const closing = (
	scope: Overlay['kind'],
	keys: readonly string[],
	label = literal('close'),
): Command => ({
	id: `${scope}.close`,
	scope,
	keys,
	label,
	run: close,
});

/** Offers a choice over the pane. */
export function openMenu(
	shell: Shell,
	menu: {
		readonly title: Safe;
		readonly notes?: readonly Safe[];
		readonly items: readonly MenuItem[];
	},
): void {
	change(shell, {overlay: {kind: 'menu', ...menu, index: 0}});
}

import type {InstallReview} from '../../core/install.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {SeenParts} from '../approvals/seen-rows.ts';
import type {Size} from '../state/view.ts';

/** What the sheet asks for now. */
export type InstallStep =
	| {readonly kind: 'choose'}
	/** The server's name is typed, where it is a program that would run here. */
	| {readonly kind: 'confirm'; readonly text: LineText}
	/** Another name than the link's. */
	| {readonly kind: 'rename'; readonly text: LineText};

/** An install link that a person decides on. */
export type InstallSheet = {
	readonly link: string;
	readonly review: InstallReview;
	/** `WaitingInstall.id` of a link that was opened elsewhere. */
	readonly waiting?: number;
	readonly step: InstallStep;
	/** The first row that is shown. */
	readonly top: number;
	/** What of it has been on the screen. */
	readonly seen: SeenParts;
};

/** What the guard calls a sheet as it is shown: anything else has to be drawn anew before a key may install. */
export const installName = ({review, step}: InstallSheet, {columns, rows}: Size): string =>
	`install ${review.name} ${step.kind} ${columns}x${rows}`;

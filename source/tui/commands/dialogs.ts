import type {Dialog} from '../acts/dialog.ts';
import {actFormDialog} from '../dialogs/act-form.ts';
import {helpDialog} from '../dialogs/help.ts';
import {installLinkDialog} from '../dialogs/install-link.ts';
import {installDialogs} from '../dialogs/install.ts';
import {keyDialogs} from '../dialogs/key.ts';
import {quitDialog} from '../dialogs/leaving.ts';
import {loginPasteDialog} from '../dialogs/login-paste.ts';
import {paletteDialog} from '../dialogs/palette.ts';
import {confirmDialog, menuDialog, typeNameDialog} from '../dialogs/questions.ts';
import {setupDialogs} from '../dialogs/setup.ts';
import {statesDialog} from '../dialogs/states.ts';
import {answerDialog, trialDialog} from '../dialogs/trial.ts';
import {approvalDialog, takenDialog} from './approval-dialog.ts';
import {firstRunDialog} from './first-run.ts';

/** All dialogs, in the order of help and keymap. */
export const dialogs: readonly Dialog[] = [
	paletteDialog,
	helpDialog,
	menuDialog,
	confirmDialog,
	actFormDialog,
	quitDialog,
	statesDialog,
	firstRunDialog,
	approvalDialog,
	takenDialog,
	trialDialog,
	answerDialog,
	...setupDialogs,
	...keyDialogs,
	...installDialogs,
	installLinkDialog,
	loginPasteDialog,
	typeNameDialog,
];

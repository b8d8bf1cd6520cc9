import type {Command} from 'commander';
import type {Context} from '../console/context.ts';
import {addApprovalCommands} from './approvals.ts';
import {addChatCommands} from './chats.ts';
import {addCronCommands} from './cron.ts';
import {addDeliveryCommands} from './deliveries.ts';
import {addGatewayCommands} from './gateway.ts';
import {addGroupCommands} from './groups.ts';
import {addBackupCommands, addConfigCommands, addDoctorCommand, addLogCommand} from './home.ts';
import {addInterfaceCommands, addOpenCommand, addTuiCommands} from './interface.ts';
import {addKeyCommands} from './keys.ts';
import {addCompletionCommands, addManualCommands} from './manual.ts';
import {addMcpCommands} from './mcp.ts';
import {addPlatformCommands} from './platforms.ts';
import {addRunCommands, addUsageCommand} from './runs.ts';
import {addSessionCommands} from './sessions.ts';
import {addSkillCommands} from './skills.ts';
import {addTalkCommand} from './talk.ts';
import {addWebhookCommands} from './webhook.ts';

type CommandGroup = {
	/** The first words of the commands it adds. */
	readonly names: readonly string[];
	readonly add: (program: Command, context: Context) => void;
	/** Must be added after all others, because it lists them. */
	readonly needsAll?: true;
};

/** Every command, in the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
	{names: ['gateway'], add: addGatewayCommands},
	{names: ['webhook'], add: addWebhookCommands},
	{names: ['platforms'], add: addPlatformCommands},
	{names: ['deliveries'], add: addDeliveryCommands},
	{names: ['groups'], add: addGroupCommands},
	{names: ['runs'], add: addRunCommands},
	{names: ['usage'], add: addUsageCommand},
	{names: ['logs'], add: addLogCommand},
	{names: ['cron'], add: addCronCommands},
	{names: ['skills'], add: addSkillCommands},
	{names: ['mcp'], add: addMcpCommands},
	{names: ['open'], add: addOpenCommand},
	{names: ['approvals'], add: addApprovalCommands},
	{names: ['keys'], add: addKeyCommands},
	{names: ['chats'], add: addChatCommands},
	{names: ['talk'], add: addTalkCommand},
	{names: ['sessions'], add: addSessionCommands},
	{names: ['config'], add: addConfigCommands},
	{names: ['doctor'], add: addDoctorCommand},
	{names: ['completion', '__complete'], add: addCompletionCommands, needsAll: true},
	{names: ['backup', 'restore'], add: addBackupCommands},
	{names: ['help', 'explain'], add: addManualCommands, needsAll: true},
	{names: ['tui'], add: addTuiCommands},
];

/** Adds the commands that `argv` may mean, or all if it is absent. Creating all would slow down the start as much as loading a fifth of the program. */
export function addCommands(program: Command, context: Context, argv?: readonly string[]): void {
	for (const {add} of argv ? groupsFor(argv) : commandGroups) {
		add(program, context);
	}

	// Last, because other commands inherit the program's settings, but must not accept surplus words as it does.
	addInterfaceCommands(program, context);
}

function groupsFor(argv: readonly string[]): readonly CommandGroup[] {
	const meant = commandGroups.filter(({names}) => names.some(name => argv.includes(name)));
	const isForAll =
		meant.length === 0
			? argv.some(word => !word.startsWith('-') || word === '-h' || word === '--help')
			: meant.some(({needsAll}) => needsAll);
	return isForAll ? commandGroups : meant;
}

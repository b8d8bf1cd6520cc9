import type {Command} from 'commander';
import type {Context} from '../console/context.ts';
import {addApprovalCommands} from './approvals.ts';
import {addBackupCommands} from './backup.ts';
import {addCompletionCommands} from './completion.ts';
import {addConfigCommands} from './config.ts';
import {addCronCommands} from './cron.ts';
import {addDeliveryCommands} from './deliveries.ts';
import {addDoctorCommand} from './doctor.ts';
import {addGatewayCommands} from './gateway.ts';
import {addGroupCommands} from './groups.ts';
import {addInterfaceCommands} from './interface.ts';
import {addKeyCommands} from './keys.ts';
import {addLogCommand} from './logs.ts';
import {addManualCommands} from './manual.ts';
import {addMcpCommands} from './mcp.ts';
import {addOpenCommand} from './open.ts';
import {addRunCommands} from './runs.ts';
import {addSessionCommands} from './sessions.ts';
import {addTuiCommands} from './tui.ts';
import {addWebhookCommands} from './webhook.ts';

/** Every command of the program, in the order of its help. */
export function addCommands(program: Command, context: Context): void {
	addGatewayCommands(program, context);
	addWebhookCommands(program, context);
	addDeliveryCommands(program, context);
	addGroupCommands(program, context);
	addRunCommands(program, context);
	addLogCommand(program, context);
	addCronCommands(program, context);
	addMcpCommands(program, context);
	addOpenCommand(program, context);
	addApprovalCommands(program, context);
	addKeyCommands(program, context);
	addSessionCommands(program, context);
	addConfigCommands(program, context);
	addDoctorCommand(program, context);
	addCompletionCommands(program, context);
	addBackupCommands(program, context);
	addManualCommands(program, context);
	addTuiCommands(program, context);
	// Last: the other commands inherit what the program allows, and they take no words but their own.
	addInterfaceCommands(program, context);
}

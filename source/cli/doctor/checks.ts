import type {Check} from './checks/check.ts';
import {clock} from './checks/clock.ts';
import {configuration, environmentFile, secrets} from './checks/configuration.ts';
import {disk} from './checks/disk.ts';
import {gateway} from './checks/gateway.ts';
import {home} from './checks/home.ts';
import {journal} from './checks/journal.ts';
import {model} from './checks/model.ts';
import {port} from './checks/port.ts';
import {program} from './checks/program.ts';
import {reach} from './checks/reach.ts';
import {servers} from './checks/servers.ts';
import {targets} from './checks/targets.ts';
import {terminal} from './checks/terminal.ts';

/** Everything that the doctor looks at, in the order of the report. */
export const checks: readonly Check[] = [
	program,
	home,
	disk,
	journal,
	configuration,
	environmentFile,
	secrets,
	gateway,
	port,
	reach,
	model,
	targets,
	servers,
	clock,
	terminal,
];

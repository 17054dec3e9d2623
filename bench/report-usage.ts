/** Loaded into a measured command: reports on file descriptor 3 what its process has used when it ends. */
import { writeSync } from 'node:fs';

const REPORT_FD = 3;

process.on('exit', () => writeSync(REPORT_FD, JSON.stringify(process.resourceUsage())));

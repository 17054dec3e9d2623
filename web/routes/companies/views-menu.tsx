import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Menu, MenuItem, MenuSection } from '../../components/menu.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { faults } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import type { ListSearch } from './list-query.ts';
import { isSameView, useViews } from './views.ts';
import { words } from './words.ts';

const MAX_NAME = 60;

/** The named views: go to one, save this one, remove the one that is shown. */
export function ViewsMenu({ search }: { search: ListSearch }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { required } = useWords(faults);
  const navigate = useNavigate();
  const toast = useToast();
  const { views, save, remove } = useViews();
  const [isSaving, setIsSaving] = useState(false);
  const shown = views.find((view) => isSameView(view.search, search));
  const open = (next: ListSearch) => void navigate({ to: '/companies', search: next });
  return (
    <>
      <Menu
        trigger={
          <>
            <span className="button-text">{shown?.name ?? said.views}</span>
            <Icon name="down" />
          </>
        }
      >
        <MenuSection label={said.views}>
          <MenuItem onAction={() => open({})}>{names.all}</MenuItem>
          <MenuItem onAction={() => open({ assigned: 'me' })}>{said.mine}</MenuItem>
          {views.map((view) => (
            <MenuItem
              key={view.name}
              icon={view === shown ? 'check' : 'filter'}
              onAction={() => open(view.search)}
            >
              {view.name}
            </MenuItem>
          ))}
        </MenuSection>
        <MenuSection label={said.saveView}>
          <MenuItem icon="plus" onAction={() => setIsSaving(true)}>
            {said.saveView}
          </MenuItem>
          {shown && (
            <MenuItem
              icon="trash"
              onAction={() => {
                remove(shown.name);
                toast({
                  text: said.viewRemoved(shown.name),
                  of: [`view ${shown.name}`],
                  onUndo: () => save(shown),
                });
              }}
            >
              {said.removeView(shown.name)}
            </MenuItem>
          )}
        </MenuSection>
      </Menu>
      {isSaving && (
        <Dialog title={said.saveView} onClose={() => setIsSaving(false)}>
          <Form
            onSubmit={async (values) => {
              const name = values['name']!.trim();
              const before = views.find((view) => view.name === name);
              save({ name, search });
              setIsSaving(false);
              const onUndo = before && (() => save(before));
              toast({ text: said.viewSaved(name), of: [`view ${name}`], ...(onUndo && { onUndo }) });
            }}
          >
            <TextField
              name="name"
              label={said.viewName}
              hint={said.viewHint}
              maxLength={MAX_NAME}
              isRequired
              validate={(name) => name.trim() !== '' || required}
              autoFocus
            />
            <FormButtons onCancel={() => setIsSaving(false)}>{names.save}</FormButtons>
          </Form>
        </Dialog>
      )}
    </>
  );
}
